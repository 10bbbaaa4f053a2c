"""Reads result files of spex-bench (bench/result.schema.json)."""

import json
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match

from spexreports.errors import DataError
from spexreports.results.acceptance import NAME as ACCEPTANCE
from spexreports.results.acceptance import Acceptance, parse_acceptance
from spexreports.results.published import MILESTONES
from spexreports.results.result import Result

SCHEMA_FILE = Path(__file__).resolve().parents[3] / "bench" / "result.schema.json"
SCHEMA = "spexbench-result"
# Members of Found by the schema's name.
KINDS = {SCHEMA: "results", ACCEPTANCE: "acceptances", "spexbench-peer": "peers"}
BESIDE = (".events.json", ".series.json")  # files next to results


@cache
def _validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def read_json(path: Path) -> Any:
    """Reads any JSON; throws DataError."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(path, error.strerror or str(error), "a readable file") from error
    except ValueError as error:
        raise DataError(path, f"is not JSON: {error}", "a file of spex-bench") from error


def parse_result(path: Path, data: Any) -> Result:
    """The result in a JSON value; `path` is for errors and the files next to it."""
    error = best_match(_validator().iter_errors(data))
    if error:
        where = error.json_path.removeprefix("$").removeprefix(".")
        wrong = f"{where}: {error.message[:200]}".removeprefix(": ")
        raise DataError(path, wrong, "a result of spex-bench, by bench/result.schema.json")
    return Result(path, data["record"] | data["derived"])


@dataclass(frozen=True)
class Found:
    """Files by kind."""

    results: list[Result] = field(default_factory=list)
    acceptances: list[Acceptance] = field(default_factory=list)
    kernels: list[Path] = field(default_factory=list)  # of the micro-benchmarks
    bundles: list[Path] = field(default_factory=list)  # of bench_bundle
    checks: list[Path] = field(default_factory=list)  # of ci/gpu-check
    kernel_times: list[Path] = field(default_factory=list)  # of ci/kernel-times
    traces: list[Path] = field(default_factory=list)  # of spex-reports trace
    peers: list[Path] = field(default_factory=list)  # of ci/peer-bench


def _kind(data: Any) -> str | None:
    """The member of Found to which a JSON value belongs."""
    if not isinstance(data, dict):
        return None
    schema = data.get("schema")
    name = schema.get("name") if isinstance(schema, dict) else None
    if name in KINDS:
        return KINDS[name]
    if isinstance(rows := data.get("benchmarks"), list):
        names = [row.get("name") for row in rows if isinstance(row, dict)]
        bundles = names and all(str(name).startswith("bundle/") for name in names)
        return "bundles" if bundles else "kernels"
    if isinstance(data.get("checks"), list):
        return "checks"
    if isinstance(data.get("traces"), list):
        return "traces"
    return "kernel_times" if isinstance(data.get("kernels"), list) else None


def _files(folder: Path) -> list[Path]:
    """The JSON files of a folder, and of its subfolders if it has no results itself.

    Subfolders of a folder of results (data, logs) belong to the runs.
    """
    own = sorted(f for f in folder.glob("*.json") if not f.name.endswith(BESIDE))
    if any(_kind(read_json(file)) == "results" for file in own):
        return own
    within = sorted(path for path in folder.iterdir() if path.is_dir())
    return [*own, *(file for folder in within for file in _files(folder))]


def find(paths: list[Path]) -> Found:
    """Reads files and folders recursively; results are ordered by start.

    A repeated result (same run, entry and system) is kept once. Other JSON in folders is listed and
    omitted. Throws DataError if there is nothing.
    """
    found, results = Found(), {}
    for path in paths:
        files = _files(path) if path.is_dir() else [path]
        any_known = False
        for file in files:
            data = read_json(file)
            kind = _kind(data)
            if kind == "results" or (not path.is_dir() and kind is None):
                result = parse_result(file, data)
                results[result.run_id, result.entry, result.system] = result
            elif kind == "acceptances":
                found.acceptances.append(parse_acceptance(file, data))
            elif kind:
                getattr(found, kind).append(file)
            else:
                print(f"spex-reports: {file}: omitted: not a result of spex-bench", file=sys.stderr)
            any_known = any_known or kind is not None
        if not any_known and path.is_dir():
            raise DataError(path, "holds no results", "a folder that spex-bench wrote (--out)")
    order = {milestone: i for i, milestone in enumerate(MILESTONES)}
    found.results.extend(
        sorted(results.values(), key=lambda r: (r.start, order[r.milestone], r.entry))
    )
    return found


def read_results(paths: list[Path]) -> list[Result]:
    """Only the results of `find`."""
    return find(paths).results


def newest(results: list[Result]) -> list[Result]:
    """The last run of each entry of each plan on each system, in the given order."""
    ordered = sorted(results, key=lambda r: r.start)
    last = {(r.system, r.plan, r.entry): r for r in ordered}
    return [r for r in results if r is last[r.system, r.plan, r.entry]]
