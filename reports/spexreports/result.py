"""One result of spex-bench, with every figure computed from its samples."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from spexreports.order_statistics import Estimate, median

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
KERNELS = ("spots", "assemble", "solve", "decorrelate", "quality")  # the stages of the kernels
CLOCKS = ("effective", "extraction")


@dataclass(frozen=True)
class Sample:
    """One run; what failed has a reason and counts for nothing."""

    round: int  # of the plan: all its entries have a run in each, one after another
    warmup: bool
    failure: str | None
    throttled: bool  # a GPU was held back meanwhile: it does not count
    effective_s: float
    extraction_s: float | None
    launch_s: float | None
    phases: dict[str, float]  # seconds, summed over the ranks

    @property
    def counts(self) -> bool:
        """Whether it is a timed run, and nothing was wrong with it."""
        return not self.warmup and not self.throttled and self.failure is None

    def seconds(self, clock: str) -> float | None:
        """By a clock of CLOCKS."""
        return self.effective_s if clock == "effective" else self.extraction_s


@dataclass(frozen=True)
class Figure:
    """The figure of merit by one clock; numbers of the timed runs, by round."""

    seconds_of: dict[int, float]
    frames: int
    nodes: int
    gpus: int  # of all nodes
    looks: tuple[int, int] | None = None  # numbers of runs at which they could end, first and last

    def _estimate(self, value: Callable[[float], float]) -> Estimate:
        return median(tuple(map(value, self.seconds_of.values())), self.looks)

    @property
    def seconds(self) -> Estimate:
        """Of all frames."""
        return self._estimate(lambda s: s)

    @property
    def fpnh(self) -> Estimate:
        """Frames per node-hour."""
        return self._estimate(lambda s: 3600 * self.frames / (s * self.nodes))

    @property
    def frames_per_gpu_hour(self) -> Estimate | None:
        """None where no GPU was used."""
        return self._estimate(lambda s: 3600 * self.frames / (s * self.gpus)) if self.gpus else None


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
    cpus: int  # of a node
    gpu: str | None  # the model
    nodes: int
    gpus_per_node: int
    ranks: int
    ranks_per_gpu: float | None
    threads: int | None
    mps: bool
    frames_asked: int
    scaled_to: int | None
    effective: Figure | None  # None unless all is right
    extraction: Figure | None
    joules_per_frame: float | None
    joules_reason: str | None
    samples: tuple[Sample, ...]
    scaling: Scaling | None
    roofline: tuple[RooflinePoint, ...]
    inputs: dict[int, str]  # sha256 of the inputs of a seed
    overall: str
    reasons: tuple[str, ...]

    @property
    def timed(self) -> list[Sample]:
        """Runs that count."""
        return [s for s in self.samples if s.counts]

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

    def figure(self, clock: str) -> Figure | None:
        """By a clock of CLOCKS."""
        return self.effective if clock == "effective" else self.extraction
