"""Reads the result files of spex-bench (bench/result.schema.json) and the run logs beside them."""

import json
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from spexreports.errors import DataError
from spexreports.published import MILESTONES

SCHEMA = "spexbench-result"
MAJOR = 1
# Stages of a run in their order; "phases" of the result files.
STAGES = (
    "start",
    "read",
    "convert",
    "transfer-in",
    "spots",
    "assemble",
    "solve",
    "decorrelate",
    "quality",
    "transfer-out",
    "gather",
    "write",
)


class Node:
    """A JSON object of a file; a missing or wrong member is named in the error by its path."""

    def __init__(self, file: Path, value: Any, where: str = ""):
        """`where` is the path of the object within the file, empty for the file's own."""
        self.file, self.value, self.where = file, value, where
        if not isinstance(value, dict):
            raise DataError(file, f"{where or 'the file'} is no object", "{...}")

    def path(self, key: str) -> str:
        """Where a member is, in words."""
        return f"{self.where}.{key}" if self.where else key

    def get(self, key: str, *types: type) -> Any:
        """A member of one of the types; numbers may be int where float is asked for."""
        if key not in self.value:
            raise DataError(self.file, f"{self.path(key)} is missing", "a result of spex-bench")
        value = self.value[key]
        allowed = (*types, int) if float in types else types
        # bool is an int for Python alone.
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in types):
            names = " or ".join("null" if t is type(None) else t.__name__ for t in types)
            raise DataError(self.file, f"{self.path(key)} is {json.dumps(value)[:40]}", names)
        return value

    def at(self, key: str) -> "Node":
        """A member that is an object."""
        self.get(key, dict)
        return Node(self.file, self.value[key], self.path(key))

    def maybe(self, key: str) -> "Node | None":
        """A member that is an object or null."""
        return None if self.get(key, dict, type(None)) is None else self.at(key)

    def nodes(self, key: str) -> list["Node"]:
        """A member that is a list of objects."""
        found = self.get(key, list)
        return [Node(self.file, v, f"{self.path(key)}[{i}]") for i, v in enumerate(found)]


@dataclass(frozen=True)
class Statistic:
    """A median with its 95% interval; None with fewer than three samples."""

    median: float
    low: float | None
    high: float | None
    samples: tuple[float, ...]


@dataclass(frozen=True)
class Figure:
    """The figure of merit by one clock."""

    seconds: Statistic
    fpnh: Statistic
    frames_per_gpu_hour: Statistic | None


@dataclass(frozen=True)
class Sample:
    """One run; what failed has a reason and counts for nothing."""

    warmup: bool
    failure: str | None
    effective_s: float
    extraction_s: float | None
    phases: dict[str, float]  # seconds, summed over the ranks


@dataclass(frozen=True)
class Scaling:
    """Which point of which sweep a result is."""

    sweep: str
    kind: str
    x: float | str
    bundles: int


@dataclass(frozen=True)
class RooflinePoint:
    """A stage's work and time; rates are per rank, ceilings per GPU or core."""

    stage: str
    flops: float
    bytes: float
    seconds: float
    ceiling_flops: float
    ceiling_bytes: float
    source: str


@dataclass(frozen=True)
class Result:
    """What a result file says, as far as the report draws it; `json` is all of it."""

    file: Path
    json: dict[str, Any]
    run_id: str
    start: datetime
    entry: str
    case: str
    milestone: str
    division: str
    tier: str
    status: str
    system: str
    cpu: str
    gpu: str | None  # the model
    nodes: int
    gpus_per_node: int
    ranks: int
    ranks_per_gpu: float | None
    threads: int | None
    mps: bool
    frames_asked: int
    scaled_to: int | None
    published: bool
    effective: Figure | None
    extraction: Figure | None
    joules_per_frame: float | None
    joules_reason: str | None
    samples: tuple[Sample, ...]
    scaling: Scaling | None
    roofline: tuple[RooflinePoint, ...]
    inputs: tuple[tuple[str, str], ...]  # camera, sha256
    valid: bool
    overall: str
    reasons: tuple[str, ...]

    @property
    def timed(self) -> list[Sample]:
        """Runs that count."""
        return [s for s in self.samples if not s.warmup and s.failure is None]

    @property
    def gpus(self) -> int:
        """Of all nodes."""
        return self.nodes * self.gpus_per_node

    @property
    def failure(self) -> str:
        """Why there is no speed; empty where there is one."""
        if self.effective:
            return ""
        return "; ".join(self.reasons) or f"{self.status}, {self.overall}"

    @property
    def events_file(self) -> Path:
        """The run log beside the file; it may not exist."""
        return self.file.with_name(self.file.name.removesuffix(".json") + ".events.json")


def _statistic(node: Node | None) -> Statistic | None:
    if node is None:
        return None
    samples = node.get("samples", list)
    if not samples or not all(isinstance(s, int | float) for s in samples):
        raise DataError(node.file, f"{node.path('samples')} holds no numbers", "one or more")
    return Statistic(
        median=node.get("median", float),
        low=node.get("low", float, type(None)),
        high=node.get("high", float, type(None)),
        samples=tuple(samples),
    )


def _figure(node: Node | None) -> Figure | None:
    if node is None:
        return None
    seconds, fpnh = _statistic(node.maybe("seconds")), _statistic(node.maybe("fpnh"))
    if seconds is None or fpnh is None:
        raise DataError(node.file, f"{node.where} is without seconds or fpnh", "both, or null")
    return Figure(seconds, fpnh, _statistic(node.maybe("frames_per_gpu_hour")))


def _sample(node: Node) -> Sample:
    phases = node.at("phases")
    return Sample(
        warmup=node.get("warmup", bool),
        failure=node.get("failure", str, type(None)),
        effective_s=node.get("effective_s", float),
        extraction_s=node.get("extraction_s", float, type(None)),
        phases={stage: phases.at(stage).get("sum", float) for stage in phases.value},
    )


def _scaling(node: Node | None) -> Scaling | None:
    if node is None:
        return None
    return Scaling(
        sweep=node.get("sweep", str),
        kind=node.get("kind", str),
        x=node.get("x", float, str),
        bundles=node.get("bundles", int),
    )


def _roofline(node: Node) -> RooflinePoint:
    names = ("flops", "bytes", "seconds", "ceiling_flops", "ceiling_bytes")
    values = {name: node.get(name, float) for name in names}
    for name, value in values.items():
        if value <= 0:
            raise DataError(node.file, f"{node.path(name)} is {value}", "above 0")
    return RooflinePoint(stage=node.get("stage", str), source=node.get("source", str), **values)


def _time(node: Node, key: str) -> datetime:
    text = node.get(key, str)
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise DataError(node.file, f"{key} is {text}", "2026-11-21T08:00:00Z") from error


def _check_schema(root: Node) -> None:
    schema = root.at("schema")
    name, major = schema.get("name", str), schema.get("major", int)
    if name != SCHEMA:
        raise DataError(root.file, f"is a {name}", SCHEMA)
    if major != MAJOR:
        raise DataError(root.file, f"has major version {major} of the schema", str(MAJOR))


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(path, error.strerror or str(error), "a readable file") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataError(path, f"is no JSON: {error}", "a file of spex-bench") from error


def parse_result(path: Path, data: Any) -> Result:
    """The result that a JSON value holds; `path` is for errors and for the run log beside it."""
    root = Node(path, data)
    _check_schema(root)
    system, launch, fom = root.at("system"), root.at("launch"), root.at("fom")
    validation, verdict, energy = root.at("validation"), root.at("verdict"), root.at("energy")
    gpus = system.nodes("gpus")
    effective, extraction = _figure(fom.maybe("effective")), _figure(fom.maybe("extraction"))
    milestone = root.get("milestone", str)
    if milestone not in MILESTONES:
        raise DataError(path, f"milestone is {milestone}", ", ".join(MILESTONES))
    valid = validation.get("pass", bool)
    correctness = verdict.get("correctness", str)
    # Such a file was not written by spex-bench, and its speed means nothing.
    if (effective or extraction) and (not valid or correctness == "fail"):
        raise DataError(path, "gives a speed beside a failed validation", "fom.effective null")
    frames = root.at("inputs").nodes("frames")
    # The page shows these as they are.
    for key in ("build", "health", "plan"):
        root.at(key)
    root.at("timing").at("clocks")
    return Result(
        file=path,
        json=data,
        run_id=root.get("run_id", str),
        start=_time(root, "start_utc"),
        entry=root.get("entry", str),
        case=root.get("case", str),
        milestone=milestone,
        division=root.get("division", str),
        tier=root.get("tier", str),
        status=root.get("status", str),
        system=system.get("name", str),
        cpu=system.get("cpu", str),
        gpu=gpus[0].get("name", str) if gpus else None,
        nodes=fom.get("nodes", int),
        gpus_per_node=launch.get("gpus_per_node", int),
        ranks=launch.get("ranks", int),
        ranks_per_gpu=launch.get("ranks_per_gpu", float, type(None)),
        threads=launch.get("threads_per_rank", int, type(None)),
        mps=launch.get("mps", bool),
        frames_asked=fom.get("frames_asked", int),
        scaled_to=fom.get("scaled_to", int, type(None)),
        published=fom.get("published", bool),
        effective=effective,
        extraction=extraction,
        joules_per_frame=energy.get("joules_per_frame", float, type(None)),
        joules_reason=energy.get("reason", str, type(None)),
        samples=tuple(_sample(s) for s in root.at("timing").nodes("samples")),
        scaling=_scaling(root.maybe("scaling")),
        roofline=tuple(_roofline(p) for p in root.nodes("roofline")),
        inputs=tuple((f.get("camera", str), f.get("sha256", str)) for f in frames),
        valid=valid,
        overall=verdict.get("overall", str),
        reasons=tuple(verdict.get("reasons", list)),
    )


def read_result(path: Path) -> Result:
    """Reads one result file."""
    return parse_result(path, _read_json(path))


def _is_result(path: Path) -> bool:
    data = _read_json(path)
    schema = data.get("schema") if isinstance(data, dict) else None
    return isinstance(schema, dict) and schema.get("name") == SCHEMA


def read_results(paths: list[Path]) -> list[Result]:
    """Reads files, and the results in folders, by start; other JSON in a folder is named, left out.

    A result that is given twice (same run and entry) is kept once.
    """
    results = {}
    for path in paths:
        chosen = [path]
        if path.is_dir():
            names = sorted(p for p in path.glob("*.json") if not p.name.endswith(".events.json"))
            chosen = [name for name in names if _is_result(name)]
            for name in set(names) - set(chosen):
                print(f"spexreports: {name}: left out: no result of spex-bench", file=sys.stderr)
            if not chosen:
                raise DataError(path, "holds no results", "a folder that spex-bench wrote (--out)")
        for name in chosen:
            result = read_result(name)
            results[result.run_id, result.entry, result.system] = result
    order = {milestone: i for i, milestone in enumerate(MILESTONES)}
    return sorted(results.values(), key=lambda r: (r.start, order[r.milestone], r.entry))


@dataclass(frozen=True)
class Event:
    """A span of a rank's time, seconds from the start of the extraction clock."""

    rank: int
    frame: int | None
    camera: str | None
    stage: str
    start: float
    end: float


def read_events(path: Path) -> list[Event]:
    """Reads the events of a run log."""
    events = []
    for node in Node(path, _read_json(path)).nodes("events"):
        event = Event(
            rank=node.get("rank", int),
            frame=node.get("frame", int, type(None)),
            camera=node.get("camera", str, type(None)),
            stage=node.get("stage", str),
            start=node.get("start", float),
            end=node.get("end", float),
        )
        if event.end < event.start:
            raise DataError(path, f"{node.where} ends before it starts", "end at or after start")
        events.append(event)
    return events
