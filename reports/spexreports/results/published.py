"""Published numbers of others, with their places in the sources: published.json."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from spexreports.errors import contents_of

FILE = Path(__file__).with_name("published.json")

# The milestones in the order of the paper's ladder.
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
class PaperRow:
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
class Statement:
    """A number with its source."""

    id: str
    what: str
    number: str
    unit: str
    source: str  # of Published.sources
    where: str  # id of the statement
    note: str  # what must be known to use it; may be empty


@dataclass(frozen=True)
class Gpu:
    """A GPU by its maker's data sheet."""

    name: str
    fp64_tflops: float  # without tensor cores
    memory_tb_s: float
    source: str


@dataclass(frozen=True)
class Published:
    """All of them."""

    sources: dict[str, str]
    ladder: tuple[PaperRow, ...]
    statements: dict[str, Statement]
    systems: dict[str, str]  # the ladder's nodes
    nights_a_year: int
    deadline_s: float  # an exposure must be done in well under it
    gpus: dict[str, Gpu]

    @property
    def best(self) -> PaperRow:
        """The paper's fastest row."""
        return max(self.ladder, key=lambda row: row.fpnh)

    def number(self, name: str) -> float:
        """The number of a statement."""
        return float(self.statements[name].number.replace(",", ""))


@cache
def read_published() -> Published:
    """Reads the data file of the package."""
    with contents_of(FILE, "the file of the repository"):
        data = json.loads(FILE.read_text(encoding="utf-8"))
        statements = [Statement(**row) for row in data["statements"]]
        gpus = [Gpu(*row) for row in data["gpus"]["rows"]]
        return Published(
            sources=dict(data["sources"]),
            ladder=tuple(PaperRow(*row) for row in data["ladder"]["rows"]),
            statements={s.id: s for s in statements},
            systems=dict(data["systems"]),
            nights_a_year=data["survey"]["nights_a_year"],
            deadline_s=data["deadline_s"],
            gpus={gpu.name: gpu for gpu in gpus},
        )
