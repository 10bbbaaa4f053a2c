"""Strong and weak scaling over ranks, with ideal lines."""

import math
import textwrap

from matplotlib.axes import Axes

from spexreports import style
from spexreports.gpu_scaling_figure import interval_words, line
from spexreports.numbers import counted
from spexreports.result import Result
from spexreports.section import Missing, Picture, in_sweep, lines_of, systems, told_apart
from spexreports.work import method


def _seconds(result: Result):
    return result.extraction.seconds


def _ranks(result: Result) -> float:
    return float(result.scaling.x)


def _lines(results: list[Result], kind: str) -> dict:
    return lines_of(
        [r for r in in_sweep(results, kind) if not isinstance(r.scaling.x, str)],
        lambda r: (r.scaling.sweep, r.system, r.case, method(r)),
        _ranks,
    )


def _ideal(axis: Axes, points: list[Result], colour: str, first: bool, strong: bool) -> None:
    base = min(points, key=_ranks)
    xs = sorted(_ranks(p) for p in points)
    values = [_seconds(base).value * (_ranks(base) / x if strong else 1.0) for x in xs]
    axis.plot(xs, values, ls=":", color=colour, label="ideal" if first else None)


def _round_ticks(axis: Axes) -> None:
    """Labels a logarithmic axis at round numbers, of which several are on it and none too near."""
    low, high = axis.get_ylim()
    decades = math.log10(high / low)
    leading = (1, 1.5, 2, 3, 5, 7) if decades < 1 else (1, 2, 5) if decades < 2 else (1, 3)
    steps = [m * 10.0**e for e in range(-4, 7) for m in leading]
    style.whole_ticks(axis.yaxis, [s for s in steps if low <= s <= high])


def _label(points: list[Result], strong: bool, everything: list[Result]) -> str:
    bundles = points[0].scaling.bundles
    work = f"{bundles} bundles in all" if strong else "a bundle a rank"
    gpus = max(p.gpus_per_node for p in points)
    where = f", up to {counted(gpus, 'GPU')}" if gpus > 1 else ", one GPU" if gpus else ""
    text = told_apart(everything, f"{points[0].milestone}: {work}{where}", points[0])
    return textwrap.fill(text, 44)


def core_scaling_figure(results: list[Result]) -> list[Picture] | Missing:
    """Seconds over ranks: of the same work (strong), of work in proportion (weak)."""
    panels = [(kind, _lines(results, kind)) for kind in ("strong", "weak")]
    panels = [(kind, groups) for kind, groups in panels if groups]
    if not panels:
        return Missing("no sweep of kind strong or weak with two valid points")
    everything = in_sweep(results, "strong", "weak")
    lines = sum(len(groups) + 2 for _, groups in panels)
    figure, axes = style.column_figure(8 + 46 * len(panels) + 4 * lines, nrows=len(panels))
    for axis, (kind, groups) in zip(axes[:, 0], panels, strict=True):
        strong = kind == "strong"
        for i, points in enumerate(groups.values()):
            _ideal(axis, points, style.look(i)[0], i == 0, strong)
            line(axis, points, _ranks, _seconds, _label(points, strong, everything), i)
        axis.set_xscale("log")
        if strong:
            axis.set_yscale("log")
            _round_ticks(axis)
        else:
            axis.set_ylim(0, 1.08 * axis.get_ylim()[1])
        style.whole_ticks(axis.xaxis, sorted({_ranks(p) for g in groups.values() for p in g}))
        axis.set_xlabel("ranks")
        axis.set_ylabel("extraction clock (s)")
        # Above the axes: a line may lie anywhere within them.
        axis.legend(
            title=f"{kind} scaling",
            alignment="left",
            loc="lower left",
            bbox_to_anchor=(0, 1),
            borderaxespad=0.3,
        )
    figure.suptitle(systems(everything), x=0.01, ha="left")
    caption = (
        f"Seconds by the extraction clock over ranks. {interval_words(everything)} Strong: the "
        "same bundles on more ranks; weak: as many bundles as ranks. On GPUs a rank has one to "
        "itself, until there are more ranks than GPUs. Dotted: ideal, from the first point."
    )
    return [Picture("core-scaling", figure, caption)]
