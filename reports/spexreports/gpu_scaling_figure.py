"""Scaling over ranks per GPU, GPUs and nodes."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spexreports import style
from spexreports.numbers import counted
from spexreports.order_statistics import Estimate, median_coverage, median_rank
from spexreports.published import CPU_MILESTONES
from spexreports.result import Result
from spexreports.section import (
    Missing,
    Picture,
    in_sweep,
    lines_of,
    rungs,
    systems,
    told_apart,
)
from spexreports.work import has_fpnh, method, own_method, settings

RANKS = "ranks per GPU"
BUNDLES, SUBBUNDLES = 20, 100  # of a whole frame


def error_bars(estimates: list[Estimate]) -> list[list[float]]:
    """Distances below and above the medians; 0 where there is no interval."""
    below = [e.value - (e.value if e.low is None else e.low) for e in estimates]
    above = [(e.value if e.high is None else e.high) - e.value for e in estimates]
    return [below, above]


def line(axis: Axes, points: list[Result], x_of, value_of, label: str, index: int) -> None:
    """A measured line with the intervals of its points, by rising x.

    Points of a single run, of which nobody knows the scatter, are open and not joined.
    """
    points = sorted(points, key=x_of)
    values = [value_of(p) for p in points]
    colour, marker = style.look(index)
    single = [value.low is None for value in values]
    axis.errorbar(
        [x_of(p) for p in points],
        [v.value for v in values],
        yerr=error_bars(values),
        color=colour,
        ls="" if any(single) else "-",
        marker=marker,
        markerfacecolor="white" if any(single) else colour,
        label=label,
        clip_on=False,
    )


OPEN_MARKERS = "Open markers: single runs, whose scatter is not known; they are not joined."


def interval_words(results: list[Result], of_single_runs: str = OPEN_MARKERS) -> str:
    """What the error bars of a figure are, and what single runs look like."""
    counts = sorted({len(r.timed) for r in results if len(r.timed) > 1})
    words = [f"of {n} runs {100 * median_coverage(n, median_rank(n)):.0f}%" for n in counts]
    text = f"Medians with intervals of the median ({', '.join(words)})." if words else ""
    if any(len(r.timed) < 2 for r in results):
        text += f" {of_single_runs}"
    return text.strip()


def _work(result: Result) -> tuple[str, ...]:
    """What must be the same for points to lie on one line."""
    return result.case, settings(result), method(result) or ""


def _fpnh(result: Result):
    return result.extraction.fpnh


def _panel(axis: Axes, groups: dict, x_of, label_of, everything: list[Result]) -> None:
    for i, (key, points) in enumerate(groups.items()):
        label = told_apart(everything, label_of(key), points[0])
        line(axis, points, x_of, _fpnh, label, i)
    axis.set_ylim(0, 1.12 * axis.get_ylim()[1])
    # Above the axes: a line may lie anywhere within them.
    axis.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.3)


def busy(ranks: int) -> float:
    """The part of the ranks' time that can be filled with a frame's bundles.

    Ranks take whole bundles, of which a frame has 20, or its 100 subbundles where there are more
    ranks than bundles. 16 ranks need two turns for 20 bundles, and in the second 12 of them wait.
    """
    units = BUNDLES if ranks <= BUNDLES else SUBBUNDLES
    return units / (ranks * -(-units // ranks))


def _note_waiting(axis: Axes, groups: dict, x_of) -> None:
    """Names the points at which ranks wait because they do not divide the frame's bundles."""
    for point in (p for points in groups.values() for p in points):
        ranks = point.ranks // point.nodes
        if point.milestone != "pipeline" and busy(ranks) < 0.95:
            axis.annotate(
                f"{100 * busy(ranks):.0f}% busy",
                (x_of(point), _fpnh(point).value),
                xytext=(0, -5),
                textcoords="offset points",
                ha="center",
                va="top",
                fontsize=style.SMALLEST_FONT,
                # Lines go behind the words.
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            )


def _ideal(axis: Axes, groups: dict, x_of) -> None:
    """From the first point of each line, in proportion to x."""
    for i, points in enumerate(groups.values()):
        first = min(points, key=x_of)
        xs = sorted(x_of(p) for p in points)
        axis.plot(
            xs,
            [_fpnh(first).value * x / x_of(first) for x in xs],
            ls=":",
            color=style.look(i)[0],
            label="ideal" if i == 0 else None,
        )


def _cpu_lines(axis: Axes, results: list[Result], groups: dict) -> None:
    """For each system with a line its fastest CPU milestone, in the colour of that system's first.

    As in the paper's figure.
    """
    shown = [p for points in groups.values() for p in points]
    colours: dict[str, str] = {}
    for i, points in enumerate(groups.values()):
        colours.setdefault(points[0].system, style.look(i)[0])
    found = [r for r in rungs(results) if r.extraction and r.milestone in CPU_MILESTONES]
    for system, colour in colours.items():
        own = [r for r in found if own_method(r) and r.system == system]
        if own:
            best = max(own, key=lambda r: _fpnh(r).value)
            label = told_apart(shown, f"{best.milestone}, CPUs alone", best)
            axis.axhline(_fpnh(best).value, color=colour, ls="--", lw=0.8, label=label)


def _draw(panels: list, results: list[Result], everything: list[Result]) -> Figure:
    lines = sum(
        len(groups) + ideal + len({points[0].system for points in groups.values()})
        for groups, *_, ideal in panels
    )
    height = 8 + 46 * len(panels) + 4 * lines
    figure, axes = style.column_figure(height, nrows=len(panels))
    for axis, (groups, x_of, xlabel, label_of, ideal) in zip(axes[:, 0], panels, strict=True):
        if ideal:
            _ideal(axis, groups, x_of)
        _cpu_lines(axis, everything, groups)
        _panel(axis, groups, x_of, label_of, results)
        if xlabel == RANKS:
            _note_waiting(axis, groups, x_of)
        style.whole_ticks(axis.xaxis, sorted({x_of(p) for g in groups.values() for p in g}))
        axis.set_xlabel(xlabel)
        axis.set_ylabel("FPNH (frames per node-hour)")
        style.thousands(axis.yaxis)
    figure.suptitle(systems(results), x=0.01, ha="left")
    return figure


def gpu_scaling_figure(results: list[Result]) -> list[Picture] | Missing:
    """FPNH over ranks per GPU, a line for each number of GPUs; over GPUs and over nodes."""
    chosen = [r for r in in_sweep(results, "ranks-per-gpu", "gpus", "nodes") if has_fpnh(r)]
    panels = []

    def ranks_of(r: Result) -> float:
        return r.ranks_per_gpu or 1

    ranks = lines_of(
        [r for r in chosen if r.scaling.kind == "ranks-per-gpu"],
        lambda r: (r.gpus_per_node, r.milestone, r.system, *_work(r)),
        ranks_of,
    )
    if ranks:
        panels.append((ranks, ranks_of, RANKS, lambda k: f"{counted(k[0], 'GPU')}, {k[1]}", False))
    gpus = lines_of(
        [r for r in chosen if r.scaling.kind in ("gpus", "ranks-per-gpu")],
        lambda r: (ranks_of(r), r.milestone, r.system, *_work(r)),
        lambda r: r.gpus_per_node,
    )
    if gpus:
        panels.append(
            (
                gpus,
                lambda r: r.gpus_per_node,
                "GPUs of a node",
                lambda k: f"{counted(round(k[0]), 'rank')} a GPU, {k[1]}",
                True,
            )
        )
    nodes = lines_of(
        [r for r in chosen if r.scaling.kind == "nodes"],
        lambda r: (r.milestone, r.system, *_work(r)),
        lambda r: r.nodes,
    )
    if nodes:
        # FPNH is per node: its ideal is a level line, and needs no drawing.
        panels.append((nodes, lambda r: r.nodes, "nodes", lambda k: k[0], False))
    if not panels:
        return Missing("no sweep of kind ranks-per-gpu, gpus or nodes with two valid points")
    caption = (
        f"FPNH by the extraction clock over ranks per GPU and over GPUs. {interval_words(chosen)} "
        "Dotted: in proportion to the GPUs, from the first point; dashed: the fastest CPU "
        "milestone of a system, in the colour of its first line. Over nodes a level line is "
        "ideal, because FPNH is per node. Ranks take whole bundles, of which a frame has 20: "
        "where they do not divide them, the part of their time that can be busy is given."
    )
    return [Picture("gpu-scaling", _draw(panels, chosen, results), caption)]
