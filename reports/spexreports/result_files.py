"""Reads the result files of spex-bench, which bench/result.schema.json describes."""

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match

from spexreports.errors import DataError
from spexreports.published import MILESTONES
from spexreports.result import Figure, Result, RooflinePoint, Sample, Scaling

SCHEMA_FILE = Path(__file__).resolve().parents[2] / "bench" / "result.schema.json"
SCHEMA = "spexbench-result"
SYSTEM_NAME = "system-name.txt"
MOST_BYTES = 1_000_000_000
BESIDE = (".events.json", ".series.json")  # files that lie beside results


@cache
def _validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def check_schema(
    path: Path, data: Any, validator: jsonschema.Draft202012Validator, expected: str
) -> None:
    """Throws DataError with the one fault that says most."""
    error = best_match(validator.iter_errors(data))
    if error:
        where = error.json_path.removeprefix("$").removeprefix(".")
        message = error.message if len(error.message) < 200 else f"{error.message[:200]}..."
        wrong = f"{where}: {message}" if where else message
        raise DataError(path, wrong, expected)


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Each member once: one reader would take the first, and another the last."""
    found = dict(members)
    if len(found) != len(members):
        raise ValueError("an object has a member twice")
    return found


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def read_json(path: Path) -> Any:
    """Any JSON; throws DataError."""
    try:
        # A pipe would be waited for, and a device has no end.
        if path.exists() and not path.is_file():
            raise DataError(path, "is no file", "a file of spex-bench")
        if path.stat().st_size > MOST_BYTES:
            raise DataError(path, "is too long", f"at most {MOST_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except OSError as error:
        raise DataError(path, error.strerror or str(error), "a readable file") from error
    except RecursionError as error:
        raise DataError(path, "has lists without end", "a file of spex-bench") from error
    except DataError:
        raise
    except ValueError as error:
        raise DataError(path, f"is no JSON: {error}", "a file of spex-bench") from error


def _sample(data: dict[str, Any]) -> Sample:
    return Sample(
        round=data["index"],
        warmup=data["warmup"],
        failure=data["failure"],
        throttled=data["throttled"],
        effective_s=data["effective_s"],
        extraction_s=data["extraction_s"],
        launch_s=data["launch_s"],
        phases={stage: seconds["sum"] for stage, seconds in data["phases"].items()},
    )


def _figure(data: dict[str, Any], samples: tuple[Sample, ...], clock: str) -> Figure | None:
    fom = data["fom"]
    if fom[clock] is None:
        return None
    until = data["timing"]["until"]
    return Figure(
        seconds_of={s.round: s.seconds(clock) for s in samples if s.counts},
        frames=fom["frames_asked"],
        nodes=fom["nodes"],
        gpus=fom["gpus"],
        looks=(data["timing"]["repeats"], until["most"]) if until else None,
    )


def _roofline(data: dict[str, Any]) -> RooflinePoint:
    names = ("stage", "flops", "bytes", "seconds", "ceiling_flops", "ceiling_bytes", "source")
    return RooflinePoint(**{name: data[name] for name in names})


def parse_result(path: Path, data: Any) -> Result:
    """The result that a JSON value holds; `path` is for errors and for the run log beside it.

    What spex-bench derived is taken as it is; `spex-bench check` says whether it follows.
    """
    check_schema(path, data, _validator(), "a result of spex-bench, by bench/result.schema.json")
    data = data["record"] | data["derived"]
    system, launch, fom, energy = data["system"], data["launch"], data["fom"], data["energy"]
    scaling, samples = data["scaling"], tuple(map(_sample, data["timing"]["samples"]))
    return Result(
        file=path,
        json=data,
        run_id=data["run_id"],
        start=datetime.strptime(data["start_utc"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC),
        entry=data["entry"],
        case=data["case"],
        milestone=data["milestone"],
        division=data["division"],
        tier=data["tier"],
        status=data["status"],
        system=system["name"],
        cpu=system["cpu"],
        cpus=system["cpus"],
        gpu=system["gpus"][0]["name"] if system["gpus"] else None,
        nodes=fom["nodes"],
        gpus_per_node=launch["gpus_per_node"],
        ranks=launch["ranks"],
        ranks_per_gpu=launch["ranks_per_gpu"],
        threads=launch["threads_per_rank"],
        mps=launch["mps"],
        frames_asked=fom["frames_asked"],
        scaled_to=fom["scaled_to"],
        effective=_figure(data, samples, "effective"),
        extraction=_figure(data, samples, "extraction"),
        joules_per_frame=energy["joules_per_frame"],
        joules_reason=energy["reason"],
        samples=samples,
        scaling=Scaling(**{k: scaling[k] for k in ("sweep", "kind", "x", "bundles")})
        if scaling
        else None,
        roofline=tuple(map(_roofline, data["roofline"])),
        inputs={s["seed"]: s["inputs_sha256"] for s in data["timing"]["samples"]},
        overall=data["verdict"]["overall"],
        reasons=tuple(data["verdict"]["reasons"]),
    )


def _is_result(path: Path) -> bool:
    data = read_json(path)
    schema = data.get("schema") if isinstance(data, dict) else None
    return isinstance(schema, dict) and schema.get("name") == SCHEMA


def _in_folder(folder: Path) -> list[Path]:
    """The results of a folder; other JSON is named, and left out."""
    names = sorted(p for p in folder.glob("*.json") if not p.name.endswith(BESIDE))
    chosen = [name for name in names if _is_result(name)]
    for name in sorted(set(names) - set(chosen)):
        print(f"spexreports: {name}: left out: no result of spex-bench", file=sys.stderr)
    if not chosen:
        raise DataError(folder, "holds no results", "a folder that spex-bench wrote (--out)")
    return chosen


def _name_of_system(folder: Path) -> str | None:
    """What a folder's system shall be called; None: as its results have it."""
    file = folder / SYSTEM_NAME
    if not file.is_file():
        return None
    name = file.read_text(encoding="utf-8").strip()
    if not name or not name.isprintable():
        raise DataError(file, "holds no name", "a line with the system's name")
    return name


def read_results(paths: list[Path]) -> list[Result]:
    """Reads files, and the results in folders, by start.

    A result that is given twice (same run, entry and system) is kept once. A folder's system goes
    by the name in its file SYSTEM_NAME, where it has one: machines may call themselves anything.
    """
    results = {}
    for path in paths:
        system = _name_of_system(path) if path.is_dir() else None
        for name in _in_folder(path) if path.is_dir() else [path]:
            result = parse_result(name, read_json(name))
            if system:
                result = replace(result, system=system)
            results[result.run_id, result.entry, result.system] = result
    order = {milestone: i for i, milestone in enumerate(MILESTONES)}
    return sorted(results.values(), key=lambda r: (r.start, order[r.milestone], r.entry))
