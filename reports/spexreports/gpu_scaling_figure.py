"""Scaling over ranks per GPU, GPUs and nodes."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spexreports import style
from spexreports.result_files import Result
from spexreports.section import Missing, Picture, by_group, in_sweep, systems, with_system

MARKERS = "osD^vP"


def error_bars(statistics: list) -> list[list[float]]:
    """Distances below and above the medians; 0 where there is no interval."""
    below = [s.median - (s.median if s.low is None else s.low) for s in statistics]
    above = [(s.median if s.high is None else s.high) - s.median for s in statistics]
    return [below, above]


def line(axis: Axes, points: list[Result], x_of, value_of, label: str, index: int) -> None:
    """A measured line with the 95% intervals of its points, by rising x."""
    points = sorted(points, key=x_of)
    values = [value_of(p) for p in points]
    axis.errorbar(
        [x_of(p) for p in points],
        [v.median for v in values],
        yerr=error_bars(values),
        color=style.CYCLE[index % len(style.CYCLE)],
        marker=MARKERS[index % len(MARKERS)],
        label=label,
    )


def _fpnh(result: Result):
    return result.extraction.fpnh


def _panel(axis: Axes, groups: dict, x_of, label_of, everything: list[Result]) -> None:
    for i, (key, points) in enumerate(groups.items()):
        label = with_system(everything, label_of(key), points[0])
        line(axis, points, x_of, _fpnh, label, i)
    axis.set_ylim(bottom=0)
    axis.legend()


def _lines(results: list[Result], key, x_of) -> dict:
    """Groups with two values of x or more, each x once."""
    groups = {}
    for name, points in by_group(results, key).items():
        by_x = {x_of(p): p for p in points}
        if len(by_x) > 1:
            groups[name] = list(by_x.values())
    return groups


def _ideal(axis: Axes, groups: dict, x_of) -> None:
    """From the first point of each line, in proportion to x."""
    for i, points in enumerate(groups.values()):
        first = min(points, key=x_of)
        xs = sorted(x_of(p) for p in points)
        axis.plot(
            xs,
            [_fpnh(first).median * x / x_of(first) for x in xs],
            ls=":",
            color=style.CYCLE[i % len(style.CYCLE)],
            label="ideal" if i == 0 else None,
        )


def _draw(panels: list, results: list[Result]) -> Figure:
    figure, axes = style.column_figure(8 + 50 * len(panels), nrows=len(panels))
    for axis, (groups, x_of, xlabel, label_of, ideal) in zip(axes[:, 0], panels, strict=True):
        if ideal:
            _ideal(axis, groups, x_of)
        _panel(axis, groups, x_of, label_of, results)
        style.whole_ticks(axis.xaxis, sorted({x_of(p) for g in groups.values() for p in g}))
        axis.set_xlabel(xlabel)
        axis.set_ylabel("FPNH (frames per node-hour)")
    figure.suptitle(systems(results), x=0.01, ha="left")
    return figure


def gpu_scaling_figure(results: list[Result]) -> list[Picture] | Missing:
    """FPNH over ranks per GPU, a line for each number of GPUs; over GPUs and over nodes."""
    chosen = in_sweep(results, "ranks-per-gpu", "gpus", "nodes")
    panels = []

    def ranks_of(r: Result) -> float:
        return r.ranks_per_gpu or 1

    ranks = _lines(
        [r for r in chosen if r.scaling.kind == "ranks-per-gpu"],
        lambda r: (r.gpus_per_node, r.milestone, r.system),
        ranks_of,
    )
    if ranks:
        panels.append((ranks, ranks_of, "ranks per GPU", lambda k: f"{k[0]} GPU(s), {k[1]}", False))
    gpus = _lines(
        [r for r in chosen if r.scaling.kind in ("gpus", "ranks-per-gpu")],
        lambda r: (ranks_of(r), r.milestone, r.system),
        lambda r: r.gpus_per_node,
    )
    if gpus:
        panels.append(
            (
                gpus,
                lambda r: r.gpus_per_node,
                "GPUs of a node",
                lambda k: f"{k[0]:g} rank(s) a GPU, {k[1]}",
                True,
            )
        )
    nodes = _lines(
        [r for r in chosen if r.scaling.kind == "nodes"],
        lambda r: (r.milestone, r.system),
        lambda r: r.nodes,
    )
    if nodes:
        # FPNH is per node: its ideal is a level line, and needs no drawing.
        panels.append((nodes, lambda r: r.nodes, "nodes", lambda k: k[0], False))
    if not panels:
        return Missing("no sweep of kind ranks-per-gpu, gpus or nodes with two valid points")
    caption = (
        "FPNH by the extraction clock over ranks per GPU and over GPUs, medians with 95% "
        "intervals. Dotted: in proportion to the GPUs, from the first point. Over nodes a level "
        "line is ideal, because FPNH is per node."
    )
    return [Picture("gpu-scaling", _draw(panels, chosen), caption)]
