"""Table 1 of the paper with our rows."""

from pathlib import Path

from spexreports.cells import speed_cell
from spexreports.marks import marks
from spexreports.numbers import number
from spexreports.page import Footnotes, Html, join, link, note, small, table
from spexreports.published import MILESTONES, Rung, read_published
from spexreports.result import Result
from spexreports.section import rungs
from spexreports.work import PAPER

HEAD = (
    "system, entry",
    "nodes × GPUs",
    "ranks a node",
    "wall clock, s",
    "FPNH, effective",
    "FPNH, extraction",
    "frames per GPU-hour",
    "J a frame",
    "verdict",
)
NUMBERS = range(1, 8)
REAL = f"real frames; {PAPER}; walltime as the paper takes it"


def _paper(rung: Rung, notes: Footnotes) -> list[object]:
    gpus = "" if rung.gpus_per_node is None else f" × {rung.gpus_per_node}"
    return [
        join([f"{rung.system}, {rung.processor}", notes.mark(REAL)]),
        f"{rung.nodes}{gpus}",
        rung.ranks_per_node,
        f"{rung.walltime_s:.1f}",
        f"{rung.fpnh:.2f}",
        "–",
        "–",
        "–",
        "published",
    ]


def _ours(result: Result, notes: Footnotes, out: Path) -> list[object]:
    gpus = f" × {result.gpus_per_node}" if result.gpus_per_node else ""
    name = [f"{result.system}, ", link(result.entry, result.file, out)]
    head = [
        join([*name, notes.mark(*marks(result).values())]),
        f"{result.nodes}{gpus}",
        f"{result.ranks / result.nodes:g}" + (" MPS" if result.mps else ""),
    ]
    if not result.effective or not result.extraction:
        failure = notes.mark(result.failure)
        return [*head, "–", "–", "–", "–", "–", join([result.overall, failure])]
    seconds = result.effective.seconds.value
    walltime: object = number(seconds)
    if result.scaled_to:
        whole = number(seconds * result.scaled_to / result.frames_asked)
        walltime = join([whole, small(f"{number(seconds)} for {result.frames_asked}")])
    rate, joules = result.extraction.frames_per_gpu_hour, result.joules_per_frame
    return [
        *head,
        walltime,
        speed_cell(result.effective.fpnh, notes),
        speed_cell(result.extraction.fpnh, notes),
        number(rate.value) if rate else "–",
        join(["–", notes.mark(result.joules_reason or "not known")])
        if joules is None
        else number(joules),
        result.overall,
    ]


def ladder_table(results: list[Result], out: Path) -> Html:
    """The paper's rows and ours under each milestone, with what the marks and letters say."""
    notes = Footnotes()
    ours, rows, kinds = rungs(results), [], []
    for milestone in MILESTONES:
        paper = [r for r in read_published().ladder if r.milestone == milestone]
        mine = [r for r in ours if r.milestone == milestone]
        if not paper and not mine:
            continue
        rows += [[milestone], *(_paper(r, notes) for r in paper)]
        rows += [_ours(r, notes, out) for r in mine]
        kinds += [
            "",
            *("paper" for _ in paper),
            *("ours" if r.effective else "failed" for r in mine),
        ]
    below = (
        "Grey: " + read_published().ladder_citation + ". The others: here, medians of the timed "
        "runs, and below them intervals of the median; each name leads to its result file. Where "
        "few frames were run, the wall clock is that of the whole exposure in proportion: start-up "
        "weighs more on few, and schedules that overlap frames gain less."
    )
    return join([table(HEAD, rows, kinds, NUMBERS), note(below), notes.html()])
