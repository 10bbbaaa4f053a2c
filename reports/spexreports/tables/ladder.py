"""The published ladder and ours: a row for each rung and system."""

from collections.abc import Callable

from spexreports.results.published import MILESTONES, Rung, read_published
from spexreports.results.result import Result
from spexreports.results.work import (
    EARLY,
    SCRIPT,
    fastest,
    published_settings,
    rungs,
    settings,
    standard,
)
from spexreports.tables.headline import headlines
from spexreports.tables.numbers import factor, number, speed
from spexreports.tables.table import Table


def _at_script(result: Result) -> bool:
    return settings(result) == SCRIPT


def best_rungs(results: list[Result], fits: Callable[[Result], bool] = standard) -> list[Result]:
    """Of each rung and system one: of the most frames, the fastest.

    At production's settings, or at those that `fits` wants.
    """
    chosen = [r for r in rungs(results) if fits(r)]
    keys = dict.fromkeys((r.milestone, r.system) for r in chosen)
    return [fastest([r for r in chosen if (r.milestone, r.system) == key]) for key in keys]


def _over_previous(result: Result, best: list[Result]) -> str:
    """Over the rung of the same system that stands before it."""
    same = [r for r in best if r.system == result.system]
    place = same.index(result)
    if place == 0:
        return "–"
    return factor(result.effective.fpnh.value / same[place - 1].effective.fpnh.value)


def _paper(rung: Rung) -> dict[str, str]:
    same = [r for r in read_published().ladder if r.system == rung.system]
    place = same.index(rung)
    gpus = "" if rung.gpus_per_node is None else f" × {rung.gpus_per_node}"
    return {
        "rung": rung.milestone,
        "system": f"{rung.system} ({rung.processor})",
        "FPNH": f"{rung.fpnh:.2f}",
        "× rung before": factor(rung.fpnh / same[place - 1].fpnh) if place else "–",
        "frames": "30",
        "wall clock, s": f"{rung.walltime_s}",
        "nodes × GPUs": f"{rung.nodes}{gpus}",
        "ranks a node": str(rung.ranks_per_node),
        "runs": "–",
        "commit": "paper",
    }


def _ours(result: Result, best: list[Result]) -> dict[str, str]:
    gpus = f" × {result.gpus_per_node}" if result.gpus_per_node else ""
    of = f" of {result.scaled_to}" if result.scaled_to else ""
    return {
        "rung": result.milestone,
        "system": result.system,
        "FPNH": speed(result.effective.fpnh),
        "× rung before": _over_previous(result, best),
        "frames": f"{result.frames_asked}{of}",
        "wall clock, s": number(result.effective.seconds.value),
        "nodes × GPUs": f"{result.nodes}{gpus}",
        "ranks a node": str(result.ranks // result.nodes),
        "runs": str(len(result.timed)),
        "commit": result.commit,
    }


def ladder_table(results: list[Result]) -> Table | None:
    """Rows in the order of the rungs, the paper's before ours."""
    best, published = best_rungs(results), read_published().ladder
    rows, kinds = [], []
    for milestone in MILESTONES:
        paper = [_paper(rung) for rung in published if rung.milestone == milestone]
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
    words = ("system", "commit")
    return Table.of("ladder", "The ladder", rows, note, words=words, kinds=tuple(kinds))


def script_table(results: list[Result]) -> Table | None:
    """Rungs at the settings of gpu_specter's benchmark script."""
    best = best_rungs(results, _at_script)
    note = "nwavestep 30 and padding 0, the defaults of gpu_specter's bin/desi_benchmark_extract."
    rows = [_ours(r, best) for r in best]
    words = ("system", "commit")
    title = "At the settings of gpu_specter's benchmark script"
    return Table.of("ladder-script", title, rows, note, words=words)


def _of_paper(milestone: str) -> str:
    """The paper's rows of a rung: each system's speed, and its ratio to the rung before."""
    ladder = read_published().ladder
    rows = [(rung, _paper(rung)) for rung in ladder if rung.milestone == milestone]
    return "; ".join(
        f"{rung.system} {cells['FPNH']}"
        + ("" if cells["× rung before"] == "–" else f" ({cells['× rung before']})")
        for rung, cells in rows
    )


def published_table(results: list[Result]) -> Table | None:
    """Table 1 of the paper beside ours, each rung with the settings of its time."""
    best = best_rungs(results, published_settings)
    rows = [
        {
            "rung": cells["rung"],
            "nwavestep": "50" if settings(r) == EARLY else "30",
            "the paper: FPNH (× rung before)": _of_paper(r.milestone) or "–",
            **{k: cells[k] for k in ("system", "FPNH", "× rung before", "frames")},
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
    words = ("the paper: FPNH (× rung before)", "system", "commit")
    title = "Each rung at the settings of its time"
    return Table.of("ladder-published", title, rows, note, words=words)


def statements_table() -> Table:
    """What the sources say, number by number, with where."""
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
    words = ("number", "where", "note")
    return Table.of("paper-statements", "What the sources say", rows, f"{sources}.", words=words)


def totals_table(results: list[Result]) -> Table | None:
    """The systems' headlines beside the paper's baselines, and what they mean for the survey."""
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
