"""The published ladder and ours: a row per milestone and system."""

from collections.abc import Callable

from spexreports.results.published import MILESTONES, PaperRow, read_published
from spexreports.results.result import Result
from spexreports.results.work import (
    EARLY,
    SCRIPT,
    complete_or_all,
    fastest,
    ladder_results,
    published_settings,
    settings,
    standard,
)
from spexreports.tables.headline import headlines
from spexreports.tables.numbers import factor, number, speed
from spexreports.tables.table import Table


def _at_script(result: Result) -> bool:
    return settings(result) == SCRIPT


def best_ladder_results(
    results: list[Result], fits: Callable[[Result], bool] = standard
) -> list[Result]:
    """For each milestone and system, the fastest of the results with the most frames.

    At production's settings, or at those that `fits` accepts. A complete result comes before
    others.
    """
    groups: dict[tuple[str, str], list[Result]] = {}
    for r in ladder_results(results):
        if fits(r):
            groups.setdefault((r.milestone, r.system), []).append(r)
    return [fastest(complete_or_all(group)) for group in groups.values()]


def _over_previous(result: Result, best: list[Result]) -> str:
    """Speed relative to the previous milestone on the same system."""
    same = [r for r in best if r.system == result.system]
    index = same.index(result)
    if index == 0:
        return "–"
    return factor(result.effective.fpnh.value / same[index - 1].effective.fpnh.value)


def _paper(row: PaperRow) -> dict[str, str]:
    same = [r for r in read_published().ladder if r.system == row.system]
    index = same.index(row)
    gpus = "" if row.gpus_per_node is None else f" × {row.gpus_per_node}"
    return {
        "milestone": row.milestone,
        "system": f"{row.system} ({row.processor})",
        "FPNH": f"{row.fpnh:.2f}",
        "× previous": factor(row.fpnh / same[index - 1].fpnh) if index else "–",
        "frames": "30",
        "wall clock, s": f"{row.walltime_s}",
        "nodes × GPUs": f"{row.nodes}{gpus}",
        "ranks a node": str(row.ranks_per_node),
        "runs": "–",
        "commit": "paper",
    }


def _ours(result: Result, best: list[Result]) -> dict[str, str]:
    gpus = f" × {result.gpus_per_node}" if result.gpus_per_node else ""
    of = f" of {result.scaled_to}" if result.scaled_to else ""
    return {
        "milestone": result.milestone,
        "system": result.system,
        "FPNH": speed(result.effective.fpnh),
        "× previous": _over_previous(result, best),
        "frames": f"{result.frames_asked}{of}",
        "wall clock, s": number(result.effective.seconds.value),
        "nodes × GPUs": f"{result.nodes}{gpus}",
        "ranks a node": str(result.ranks // result.nodes),
        "runs": str(len(result.timed)),
        "commit": result.commit,
    }


def ladder_table(results: list[Result]) -> Table | None:
    """Rows in the order of the ladder, the paper's before ours."""
    best, published = best_ladder_results(results), read_published().ladder
    rows, kinds = [], []
    for milestone in MILESTONES:
        paper = [_paper(row) for row in published if row.milestone == milestone]
        ours = [_ours(r, best) for r in best if r.milestone == milestone]
        rows += paper + ours
        kinds += ["paper"] * len(paper) + ["ours"] * len(ours)
    note = (
        "FPNH: frames per node-hour by the effective clock, from launch to exit, with the range of "
        "the runs. Wall clock: of the frames named. 12 of 30: 12 frames were run and stand for the "
        "exposure; start-up is a larger part of their time. Paper: its table 1, with the start of "
        "Python and a shared file system in the wall clock; ours has files in memory. The paper "
        "does not state its settings; nodes and ranks change between its rows."
    )
    text_columns = ("system", "commit")
    return Table.of(
        "ladder", "The ladder", rows, note, text_columns=text_columns, kinds=tuple(kinds)
    )


def script_table(results: list[Result]) -> Table | None:
    """Milestones at the settings of gpu_specter's benchmark script."""
    best = best_ladder_results(results, _at_script)
    note = "nwavestep 30 and padding 0, the defaults of gpu_specter's bin/desi_benchmark_extract."
    rows = [_ours(r, best) for r in best]
    text_columns = ("system", "commit")
    title = "At the settings of gpu_specter's benchmark script"
    return Table.of("ladder-script", title, rows, note, text_columns=text_columns)


def _of_paper(milestone: str) -> str:
    """The paper's rows of a milestone: each system's speed, and its ratio to the previous row."""
    ladder = read_published().ladder
    rows = [(row, _paper(row)) for row in ladder if row.milestone == milestone]
    return "; ".join(
        f"{row.system} {cells['FPNH']}"
        + ("" if cells["× previous"] == "–" else f" ({cells['× previous']})")
        for row, cells in rows
    )


def published_table(results: list[Result]) -> Table | None:
    """Table 1 of the paper and ours, each milestone with the settings of its time."""
    best = best_ladder_results(results, published_settings)
    rows = [
        {
            "milestone": cells["milestone"],
            "nwavestep": "50" if settings(r) == EARLY else "30",
            "the paper: FPNH (× previous)": _of_paper(r.milestone) or "–",
            **{k: cells[k] for k in ("system", "FPNH", "× previous", "frames")},
            **{k: cells[k] for k in ("nodes × GPUs", "ranks a node", "runs", "commit")},
        }
        for r, cells in ((r, _ours(r, best)) for r in best)
    ]
    note = (
        "Padding 0; nwavestep changes between batch-eigh and batch-subbundle, and the paper's "
        "nodes and ranks change too. Both clocks run from launch to exit, with reading and "
        "writing: the paper's with the start of Python and a shared file system, ours with files "
        "in memory."
    )
    text_columns = ("the paper: FPNH (× previous)", "system", "commit")
    title = "Each milestone at the settings of its time"
    return Table.of("ladder-published", title, rows, note, text_columns=text_columns)


def statements_table() -> Table:
    """The numbers of the sources, with their places."""
    published = read_published()
    letters = dict(zip(published.sources, "ABCDEFGH", strict=False))
    rows = [
        {
            "what": s.what,
            "number": f"{s.number} {s.unit}".replace(" %", "%"),
            "where": f"{letters[s.source]}: {s.where}",
            "note": s.note or "–",
        }
        for s in published.statements.values()
    ]
    sources = "; ".join(f"{letters[key]}: {text}" for key, text in published.sources.items())
    text_columns = ("number", "where", "note")
    return Table.of(
        "paper-statements", "What the sources say", rows, f"{sources}.", text_columns=text_columns
    )


def totals_table(results: list[Result]) -> Table | None:
    """The systems' headlines compared with the paper's baselines, and the survey's node-hours."""
    published = read_published()
    night = published.number("night")
    bases = [r for r in published.ladder if r.milestone in ("baseline", "cpu-refactor")]
    speeds = [(f"the paper: {r.milestone} on {r.system}", r.fpnh, "paper") for r in bases]
    speeds.append((f"the paper: {published.best.milestone}", published.best.fpnh, "paper"))
    speeds += [
        (f"{r.system}: {r.entry}", r.effective.fpnh.value, "ours") for r in headlines(results)
    ]
    rows = [
        {
            "system": name,
            "FPNH": number(fpnh) if fpnh >= 1000 else f"{fpnh:.2f}",
            **{f"× {b.milestone}, {b.system}": factor(fpnh / b.fpnh) for b in bases},
            "a night, node-hours": number(night / fpnh),
            "a year, node-hours": number(night * published.nights_a_year / fpnh),
        }
        for name, fpnh, _ in speeds
    ]
    note = (
        f"A night has {night:,.0f} frames (the paper, Introduction), a year "
        f"{published.nights_a_year} such nights (assumed). The paper's factor of 20 is over Cori's "
        "Haswell in its abstract and over Edison in its results; table 1 gives the ratios here."
    )
    kinds = tuple(kind for *_, kind in speeds)
    return Table.of("totals", "Beside the baselines", rows, note, kinds=kinds)
