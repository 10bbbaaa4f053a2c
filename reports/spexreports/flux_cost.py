"""What the flux of the whole frame costs beside that of patches (extraction.md, section 5.2)."""

from spexreports.cells import speed_cell
from spexreports.comparison import speed_ratio
from spexreports.milestone_ratios import stage_changes
from spexreports.numbers import counted
from spexreports.order_statistics import Estimate
from spexreports.page import Footnotes, Html, heading, join, note, table
from spexreports.result import CLOCKS, Result
from spexreports.work import extraction_options, method, of_whole_frame

# What is said of a pair wherever it is, in this order.
COLUMNS = (
    "system, milestone",
    "what",
    "patch, s",
    "frame, s",
    "frame / patch, effective",
    "frame / patch, extraction",
)


def _alike(result: Result) -> tuple[object, ...]:
    """All that two entries must share but for --flux."""
    options = {k: v for k, v in extraction_options(result).items() if k != "--flux"}
    of_launch = (result.nodes, result.gpus_per_node, result.ranks, result.threads, result.mps)
    of_work = (result.case, result.frames_asked, method(result), tuple(options.items()))
    return (result.run_id, result.system, result.milestone, *of_launch, *of_work)


def pairs(results: list[Result]) -> list[tuple[Result, Result]]:
    """Entries of one run that differ in --flux alone: that of patches, that of the whole frame."""
    valid = [
        r
        for r in results
        if r.effective and r.extraction and r.scaling is None and r.tier not in ("ci", "night")
    ]
    of_patches = {_alike(r): r for r in valid if not of_whole_frame(r)}
    return [
        (of_patches[_alike(r)], r) for r in valid if of_whole_frame(r) and _alike(r) in of_patches
    ]


def subject(frame: Result) -> list[str]:
    """The first two of COLUMNS: whose pair it is, and of what frames."""
    size = frame.json["inputs"]["generator"]["size"]
    what = counted(frame.frames_asked, "frame") + ("" if size == "full" else f" of size {size}")
    by = f" by {method(frame)}" if method(frame) else ""
    return [f"{frame.system}, {frame.milestone}{by}", what]


def cost(patch: Result, frame: Result) -> list[Estimate]:
    """The others: seconds by the extraction clock, and ratios of seconds by both clocks."""
    # A ratio of seconds is the other way round than one of speeds.
    ratios = [speed_ratio(frame.figure(c), patch.figure(c), same_run=True) for c in CLOCKS]
    return [patch.extraction.seconds, frame.extraction.seconds, *ratios]


def flux_cost(results: list[Result]) -> Html | None:
    """HTML: a row for each entry by --flux frame that has one by patches beside it, else None."""
    notes = Footnotes()
    kinds = ("run", "run", "pair", "pair")
    rows = [
        [
            *subject(frame),
            *(
                speed_cell(e, notes, kind)
                for e, kind in zip(cost(patch, frame), kinds, strict=True)
            ),
            stage_changes(patch, frame),
        ]
        for patch, frame in pairs(results)
    ]
    if not rows:
        return None
    text = (
        "Entries by --flux frame are other work than the rungs of the ladder, and are not on it. "
        "Seconds are those of the extraction clock; ratios are of seconds, in pairs of runs of the "
        "same round, so that 1.05 is five percent more time."
    )
    return join(
        [
            heading("The flux of the whole frame beside that of patches"),
            table(
                (*COLUMNS, "what changed most, s of a rank and frame"), rows, numbers=range(2, 6)
            ),
            note(text),
            notes.html(),
        ]
    )
