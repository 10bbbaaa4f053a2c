"""What others have published or what was measured of their programs: data/published.json."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from spexreports.errors import DataError

FILE = Path(__file__).parent / "data" / "published.json"

# The rungs of the ladder, in their order.
MILESTONES = (
    "scalar",
    "baseline",
    "cpu-refactor",
    "multi-gpu",
    "batch-eigh",
    "batch-subbundle",
    "interleave-io",
    "batch-syev",
    "band",
    "direct",
    "pipeline",
)
CPU_MILESTONES = MILESTONES[:3]


@dataclass(frozen=True)
class Rung:
    """A row of the paper's table 1."""

    milestone: str
    system: str
    processor: str
    nodes: int
    gpus_per_node: int | None
    ranks_per_node: int
    walltime_s: float
    fpnh: float  # frames per node-hour, 30 frames


@dataclass(frozen=True)
class Measured:
    """A run of gpu_specter; without input and output."""

    run: str
    seconds_per_frame: float
    fpnh: float | None  # as if input and output were hidden; None: not given


@dataclass(frozen=True)
class Survey:
    """How many frames there are to extract."""

    night_frames: int
    nights_a_year: int
    reduction_frames: int  # of a reduction of everything again
    citation: str


@dataclass(frozen=True)
class Published:
    """The numbers, and where they come from."""

    ladder: tuple[Rung, ...]
    ladder_citation: str
    systems: dict[str, str]  # the ladder's nodes
    why: tuple[str, ...]  # reasons why our ratios are not the paper's
    eigh: dict[str, str]  # of a milestone, what the paper says of its eigendecompositions
    survey: Survey
    gpu_specter: tuple[Measured, ...]
    gpu_specter_citation: str


@cache
def read_published() -> Published:
    """Reads the data file of the package."""
    try:
        data = json.loads(FILE.read_text(encoding="utf-8"))
        ladder, specter = data["ladder"], data["gpu_specter"]
        return Published(
            ladder=tuple(Rung(*row) for row in ladder["rows"]),
            ladder_citation=ladder["citation"],
            systems=dict(data["systems"]),
            why=tuple(data["why"]),
            eigh=dict(data["eigh"]),
            survey=Survey(**data["survey"]),
            gpu_specter=tuple(Measured(*row) for row in specter["rows"]),
            gpu_specter_citation=specter["citation"],
        )
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise DataError(FILE, f"is broken: {error}", "the file of the repository") from error


def ratio_to_previous(milestone: str) -> list[tuple[str, float, bool]]:
    """The paper's FPNH of a milestone over that of the milestone before, by system.

    The last member is False where the milestone before ran on another system, because none of both
    ran on the same: its newest system stands for it then.
    """
    place = MILESTONES.index(milestone)
    if place == 0:
        return []
    rungs = read_published().ladder
    before = [rung for rung in rungs if rung.milestone == MILESTONES[place - 1]]
    ratios = []
    for rung in (r for r in rungs if r.milestone == milestone):
        same = [other for other in before if other.system == rung.system]
        if before:
            ratios.append((rung.system, rung.fpnh / (same or before)[-1].fpnh, bool(same)))
    return ratios
