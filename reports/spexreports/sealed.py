"""What a result is held to: its seal, by the key that lies beside it, and the files that it names.

The seal is a hash of all else in the file.
"""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

from spexreports.errors import DataError

FIRST_MINOR = 4  # whose seal is of the whole file
# Members of `timing`, and the ends of the files beside the result that they are of.
HASHED = {"run_log_sha256": ".events.json", "series_sha256": ".series.json"}
CLOCK_SLACK_S = 1e-3  # of a sum of rounded numbers
STRING_OR_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|\s+')


def check_seal(path: Path, minor: int) -> None:
    """Throws DataError where a result in a folder of spex-bench was edited.

    Results that were copied without that folder's logs have no key, and are taken as they are. What
    has a key and calls itself older than seals of the whole file is refused: the number can be
    edited too.
    """
    key = path.parent / "logs" / "seal-key.txt"
    if not key.is_file():
        return
    if minor < FIRST_MINOR:
        raise DataError(
            path,
            f"is of minor version {minor}, whose seal is not of the whole file, beside {key}",
            f"{FIRST_MINOR} or later, or a result without the logs of its folder",
        )
    text = STRING_OR_BLANKS.sub(lambda one: one[1] or "", path.read_text(encoding="utf-8"))
    rest, _, seal = text.rpartition(',"seal":"')
    words = key.read_text(encoding="utf-8").partition("\n")[0] + rest + "}"
    if seal != sha256(words.encode()).hexdigest() + '"}':
        raise DataError(path, "was changed since spex-bench wrote it", "the file as it was")


def _check_clock(path: Path, data: dict[str, Any], log: bytes) -> None:
    """The run log is of the last run, whose extraction ends with the last event."""
    sample = data["timing"]["samples"][-1]
    try:
        end = max(float(event["end"]) for event in json.loads(log)["events"])
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(path, "has no events", "a run log, by docs/results.md") from error
    seconds = max(end, sample["observed_s"] or 0)
    if abs(seconds - (sample["extraction_s"] or 0)) > CLOCK_SLACK_S:
        wrong = f"ends at {seconds:g} s, and the last run's extraction at {sample['extraction_s']}"
        raise DataError(path, wrong, "the run log of that run")


def check_beside(path: Path, data: dict[str, Any]) -> None:
    """Throws DataError where a run log or series beside a result is not the one that it names.

    Neither need be there. Before minor version 4 none was named.
    """
    for key, end in HASHED.items():
        stated = data["timing"].get(key)
        file = path.with_name(path.name.removesuffix(".json") + end)
        if stated is None or not file.is_file():
            continue
        content = file.read_bytes()
        if sha256(content).hexdigest() != stated:
            raise DataError(file, f"is not what {path.name} was written with", "the file as it was")
        if key == "run_log_sha256" and data["status"] == "complete":
            _check_clock(file, data, content)
