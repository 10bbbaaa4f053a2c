"""Reads acceptances: OUT/acceptance.json of `spex-bench accept` (bench/acceptance.schema.json)."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match

from spexreports.errors import DataError

SCHEMA_FILE = Path(__file__).resolve().parents[3] / "bench" / "acceptance.schema.json"
NAME = "spexbench-acceptance"
STATUS_OF = {"ACCEPT": "yes", "REJECT": "no", "REPEAT": "open"}


@cache
def _validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


@dataclass(frozen=True)
class Acceptance:
    """An acceptance; `json` has the members of its file."""

    file: Path
    json: dict[str, Any]

    @property
    def judgment(self) -> dict[str, Any]:
        """The last judgment, which counts."""
        return self.json["judgments"][-1]

    @property
    def word(self) -> str:
        """ACCEPT, REJECT or REPEAT."""
        return self.judgment["word"]

    @property
    def kind(self) -> str:
        """The word as yes, no or open."""
        return STATUS_OF[self.word]

    @property
    def system(self) -> str:
        """The name of the machine."""
        return self.json["system"]["name"]

    @property
    def commit(self) -> str:
        """Seven digits, and whether the sources were changed."""
        build = self.json["build"]
        return (build["commit"] or "unknown")[:7] + (" with changes" if build["dirty"] else "")

    @property
    def frames(self) -> str:
        """How many frames were compared, and which are wrong."""
        entries = self.json["entries"]
        compared = sum(entry["frames_compared"] for entry in entries)
        wrong = [e["entry"] for e in entries if e["verdict"]["correctness"] == "fail"]
        unknown = [e["entry"] for e in entries if e["verdict"]["correctness"] == "not-judged"]
        if wrong:
            return f"frames are wrong in {', '.join(wrong)} ({compared} were compared)"
        text = f"all {compared} compared frames are right"
        return f"{text}; nothing is known of {', '.join(unknown)}" if unknown else text


def parse_acceptance(path: Path, data: Any) -> Acceptance:
    """The acceptance in a JSON value; throws DataError, which names `path`."""
    if error := best_match(_validator().iter_errors(data)):
        where = error.json_path.removeprefix("$").removeprefix(".")
        wrong = f"{where}: {error.message[:200]}".removeprefix(": ")
        raise DataError(path, wrong, "an acceptance, by bench/acceptance.schema.json")
    return Acceptance(path, data)
