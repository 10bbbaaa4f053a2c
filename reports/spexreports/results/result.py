"""A result of spex-bench: the members of its record and its derived part (docs/results.md).

spex-bench derived the statistics, speeds and verdicts. Nothing is judged here.
"""

import statistics
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

# Stages of a run in order, "phases" in result files. KERNELS are those with GPU kernels.
STAGES = ("start", "read", "convert", "transfer-in", "spots", "assemble", "solve", "decorrelate")
STAGES += ("quality", "transfer-out", "gather", "write")
KERNELS = ("spots", "assemble", "solve", "decorrelate", "quality")
CLOCKS = ("effective", "extraction")
# Attributes that are nested members of the JSON; others are members of its first level.
MEMBERS = {
    "system": ("system", "name"),
    "plan": ("plan", "name"),
    "cpus": ("system", "cpus"),  # of a node
    "nodes": ("fom", "nodes"),
    "gpus_per_node": ("launch", "gpus_per_node"),  # 0 for CPU milestones
    "ranks": ("launch", "ranks"),  # of all nodes
    "threads": ("launch", "threads_per_rank"),  # None if the plan does not set it
    "frames_asked": ("fom", "frames_asked"),  # of a run
    "scaled_to": ("fom", "scaled_to"),  # frames that the run stands for; None: all were run
    "why_incomplete": ("fom", "incomplete_because"),
    "overall": ("verdict", "overall"),
    "reasons": ("verdict", "reasons"),  # why the verdict is not pass
    "joules_per_frame": ("energy", "joules_per_frame"),  # of all GPUs of the run
}


@dataclass(frozen=True)
class Statistic:
    """A median with its interval, both derived by spex-bench."""

    value: float
    low: float | None  # None for a single sample
    high: float | None
    samples: tuple[float, ...]
    coverage: float | None = None  # probability that the interval contains the median

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Statistic":
        """From the JSON of a result file."""
        samples = tuple(data["samples"])
        return cls(data["median"], data["low"], data["high"], samples, data["coverage"])


@dataclass(frozen=True)
class Figure:
    """The figure of merit by one clock."""

    seconds: Statistic  # of all frames
    fpnh: Statistic | None  # frames per node-hour; None where frames are not whole


@dataclass(frozen=True)
class Scaling:
    """The point of a sweep that a result is."""

    sweep: str
    kind: str
    x: float | str
    bundles: int


def _share(sample: dict[str, Any], cpus: int) -> float:
    """The part of the CPU time that other processes took in a run; 0 if unknown."""
    return (sample["other_cpu_s"] or 0.0) / (cpus * sample["effective_s"])


@dataclass(frozen=True)
class Result:
    """A result file; `json` has the members of its record and its derived part."""

    file: Path
    json: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        """A member in MEMBERS, or of the first level: entry, milestone, tier, run_id ..."""
        found = self.__dict__["json"]
        try:
            for key in MEMBERS.get(name, (name,)):
                found = found[key]
        except KeyError as error:
            raise AttributeError(name) from error
        return found

    @cached_property
    def start(self) -> datetime:
        """Start of the entry's runs."""
        return datetime.strptime(self.json["start_utc"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)

    @cached_property
    def commit(self) -> str:
        """Seven digits, and whether the sources were changed."""
        build = self.json["build"]
        return build["commit"][:7] + (" with changes" if build["dirty"] else "")

    @cached_property
    def gpu(self) -> str | None:
        """The model of the GPU; None without one."""
        gpus = self.json["system"]["gpus"]
        return gpus[0]["name"] if gpus else None

    @cached_property
    def gpus(self) -> int:
        """The number of GPUs on all nodes."""
        return self.nodes * self.gpus_per_node

    def _figure(self, clock: str) -> Figure | None:
        data = self.json["fom"][clock]
        if data is None:
            return None
        return Figure(Statistic.of(data["seconds"]), data["fpnh"] and Statistic.of(data["fpnh"]))

    @cached_property
    def effective(self) -> Figure | None:
        """From launch to exit; None unless every frame of every run is valid."""
        return self._figure("effective")

    @cached_property
    def extraction(self) -> Figure | None:
        """From the first input opened to the last output closed; None as above."""
        return self._figure("extraction")

    @cached_property
    def scaling(self) -> Scaling | None:
        """None if it is not part of a sweep."""
        return self.json["scaling"] and Scaling(**self.json["scaling"])

    @cached_property
    def timed(self) -> list[dict[str, Any]]:
        """Samples that count: timed, successful, neither throttled nor disturbed."""
        samples = self.json["timing"]["samples"]
        bad = ("warmup", "throttled", "failure", "disturbed")
        return [s for s in samples if not any(s.get(member) for member in bad)]

    @cached_property
    def other_work(self) -> float:
        """The largest part of the CPU time that other processes took in a timed run."""
        return max((_share(s, self.cpus) for s in self.timed), default=0.0)

    def middle(self, member: str) -> float | None:
        """The median over timed samples of a member, or of a list's mean. None if unknown."""
        values = [s[member] for s in self.timed if s[member] is not None]
        known = [statistics.mean(v) if isinstance(v, list) else v for v in values]
        return statistics.median(known) if known else None

    def largest(self, member: str) -> float | None:
        """The largest value of a member over all samples; None if unknown."""
        return max((s[member] for s in self.json["timing"]["samples"] if s[member]), default=None)

    @cached_property
    def stage_seconds(self) -> dict[str, float]:
        """Seconds per frame by stage: medians over timed samples, summed over ranks."""
        stages_of_runs = [s["phases"] for s in self.timed]
        return {
            stage: statistics.median(p.get(stage, {"sum": 0.0})["sum"] for p in stages_of_runs)
            / self.frames_asked
            for stage in STAGES
            if any(stage in p for p in stages_of_runs)
        }

    def beside(self, kind: str) -> Path:
        """The file ENTRY.kind.json (events or series) next to the result; it may not exist."""
        return self.file.with_name(f"{self.file.name.removesuffix('.json')}.{kind}.json")
