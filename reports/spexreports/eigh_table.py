"""What eigendecompositions cost: solve and decorrelate, of all kernels, beside the paper's."""

from spexreports.numbers import number
from spexreports.page import Footnotes, Html, heading, join, note, table
from spexreports.published import MILESTONES, read_published
from spexreports.result import KERNELS, Result
from spexreports.section import rungs
from spexreports.stages_figure import stage_seconds
from spexreports.work import PRODUCTION, own_method, same_work, settings

BY_EIGH = MILESTONES[: MILESTONES.index("band")]
HEAD = (
    "milestone",
    "the paper",
    "here",
    "solve, s",
    "decorrelate, s",
    "both, % of the kernels",
    "both, of the milestone before / of this",
)


def kernel_seconds(result: Result) -> dict[str, float]:
    """Seconds of a rank and frame by stage, of the kernels alone."""
    seconds = stage_seconds(result)
    return {stage: seconds.get(stage, 0.0) / result.ranks for stage in KERNELS}


def _eigh_seconds(result: Result) -> float:
    seconds = kernel_seconds(result)
    return seconds["solve"] + seconds["decorrelate"]


def eigh_share(result: Result) -> float | None:
    """The part of the kernels' seconds that solve and decorrelate take; None without kernels."""
    total = sum(kernel_seconds(result).values())
    return _eigh_seconds(result) / total if total > 0 else None


def _before(result: Result, shown: list[Result]) -> float | None:
    """How many times as long it took at the milestone before, in the same run of spex-bench."""
    place = BY_EIGH.index(result.milestone)
    found = [
        r
        for r in shown
        if place > 0
        and r.milestone == BY_EIGH[place - 1]
        and r.run_id == result.run_id
        and not same_work(r, result)
    ]
    return _eigh_seconds(found[0]) / _eigh_seconds(result) if found else None


def eigh_rows(results: list[Result], notes: Footnotes) -> list[list[object]]:
    """A row for each entry of a milestone that works by eigendecompositions."""
    shown = [
        r
        for r in rungs(results)
        if r.effective and r.milestone in BY_EIGH and own_method(r) and eigh_share(r) is not None
    ]
    rows = []
    for milestone in BY_EIGH:
        found = [r for r in shown if r.milestone == milestone]
        for i, result in enumerate(found):
            seconds = kernel_seconds(result)
            before = _before(result, shown)
            texts = [] if settings(result) == PRODUCTION else [settings(result)]
            if not seconds["decorrelate"]:
                texts.append("decorrelate is counted in solve")
            rows.append(
                [
                    *(
                        (milestone, read_published().eigh.get(milestone, "–"))
                        if i == 0
                        else ("",) * 2
                    ),
                    join([f"{result.system}, {result.entry}", notes.mark(*texts)]),
                    number(seconds["solve"]),
                    number(seconds["decorrelate"]) if seconds["decorrelate"] else "–",
                    f"{100 * eigh_share(result):.0f}",
                    "–" if before is None else number(before),
                ]
            )
    return rows


def eigh_table(results: list[Result]) -> Html | None:
    """HTML: the table, and what must be known to read it; None without such entries."""
    notes = Footnotes()
    rows = eigh_rows(results, notes)
    if not rows:
        return None
    text = (
        "Seconds of a rank and frame, by the clock of the stage. The kernels: spots, assemble, "
        "solve, decorrelate, quality. The paper's decorrelate has the eigendecomposition of a "
        "patch's N in it, which is in solve here, where the flux is made of it; decorrelate here "
        "has those of the fibers' blocks. Where a milestone has more ranks than the one "
        "before, they have a part in the ratio."
    )
    return join(
        [
            heading("What eigendecompositions cost"),
            table(HEAD, rows, numbers=range(3, len(HEAD))),
            note(text),
            notes.html(),
        ]
    )
