"""Speed by the number of GPUs, ranks, bundles and cores, and by the size of a patch."""

import math

from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.result import Result
from spexreports.results.work import files, in_sweep, options, ranks_sweeps
from spexreports.tables.numbers import counted

Points = list[tuple[float, float, float, float]]  # x, value, low, high
Style = dict[str, str]  # color, marker and line style, as matplotlib names them


def _point(x: float, statistic) -> tuple[float, float, float, float]:
    value = statistic.value
    low = value if statistic.low is None else statistic.low
    return x, value, low, value if statistic.high is None else statistic.high


def _style(index: int, linestyle: str = "-") -> Style:
    """The style of a line by its place among the lines of a figure."""
    color, marker = style.line_style(index)
    return {"color": color, "marker": marker, "linestyle": linestyle}


def _draw(axis, lines: dict[str, Points], styles: dict[str, Style]) -> None:
    """Draws lines, each in the style of its name."""
    for name, points in lines.items():
        x, value, low, high = zip(*points, strict=True)
        below = [v - one for v, one in zip(value, low, strict=True)]
        above = [one - v for v, one in zip(value, high, strict=True)]
        drawing = styles[name] | {"ms": 5, "lw": 1.3, "capsize": 2}
        axis.errorbar(x, value, yerr=[below, above], label=name, **drawing)
    style.whole_ticks(axis.xaxis, sorted({p[0] for points in lines.values() for p in points}))
    axis.set_ylim(bottom=0)
    if max(p[1] for points in lines.values() for p in points) > 100:
        style.thousands(axis.yaxis)


def _with_points(lines: dict[str, Points]) -> dict[str, Points]:
    """The lines with at least two points, in the order of x."""
    return {name: sorted(points) for name, points in lines.items() if len(points) > 1}


def _lines(lines: dict[str, Points], xlabel: str, ylabel: str) -> Figure | None:
    """A line for each name with at least two points; None without one."""
    lines = _with_points(lines)
    if not lines:
        return None
    columns = 2 if max(map(len, lines)) < 26 else 1
    drawn, axes = style.figure(2.5 + 0.17 * math.ceil(len(lines) / columns))
    axis = axes[0, 0]
    _draw(axis, lines, {name: _style(i) for i, name in enumerate(lines)})
    axis.set_xlabel(xlabel)
    axis.set_ylabel(ylabel)
    drawn.legend(loc="outside lower left", ncols=columns, handlelength=1.6, columnspacing=1.0)
    return drawn


def _panels(panels: dict[str, dict[str, Points]], styles: dict[str, Style], xlabel: str) -> Figure:
    """FPNH, a panel for each title, and one legend for the lines of all of them."""
    names = {name for lines in panels.values() for name in lines}
    drawn, axes = style.figure(0.6 + 1.9 * len(panels) + 0.17 * len(names), nrows=len(panels))
    entries = {}
    for axis, (title, lines) in zip(axes[:, 0], panels.items(), strict=True):
        _draw(axis, lines, styles)
        axis.set_title(title)
        handles, labels = axis.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    axes[-1, 0].set_xlabel(xlabel)
    drawn.supylabel("frames per node-hour, launch to exit", fontsize=style.FONT)
    drawn.legend(entries.values(), entries, loc="outside lower left", handlelength=3)
    return drawn


def gpus_figure(results: list[Result]) -> Figure | None:
    """FPNH by GPUs of a node.

    A panel for each form of files, in which a line for each number of frames (color and marker) and
    system (solid, then dashed).
    """
    panels: dict[str, dict[str, Points]] = {}
    styles: dict[str, Style] = {}
    found = [r for r in in_sweep(results, "gpus") if r.effective.fpnh]
    numbers = sorted({r.frames_asked for r in found})
    systems = sorted({r.system for r in found})
    for r in sorted(found, key=lambda r: (r.system, r.frames_asked)):
        name = f"{r.frames_asked} frames, {r.system}"
        dashes = ("-", "--", ":", "-.")[systems.index(r.system) % 4]
        styles[name] = _style(numbers.index(r.frames_asked), dashes)
        lines = panels.setdefault(files(r).replace("`", ""), {})
        lines.setdefault(name, []).append(_point(r.gpus, r.effective.fpnh))
    panels = {form: _with_points(lines) for form, lines in panels.items()}
    panels = {form: lines for form, lines in panels.items() if lines}
    return _panels(panels, styles, "GPUs of one node, a rank each") if panels else None


def ranks_figure(results: list[Result]) -> Figure | None:
    """FPNH by the number of ranks that share a GPU, the paper's figure 3.

    A panel for each milestone, in which a line for each system and number of GPUs (color and
    marker), with MPS or without (dashed).
    """
    panels: dict[str, dict[str, Points]] = {}
    styles: dict[str, Style] = {}
    places: dict[tuple[str, int], int] = {}
    sweeps = ranks_sweeps(results)
    for key in sorted(sweeps, key=lambda key: (*key[:3], not key[3])):
        (milestone, system, gpus, mps), points = key, sweeps[key]
        if len(points) < 2:
            continue
        name = f"{counted(gpus, 'GPU')}, {'MPS' if mps else 'without MPS'}, {system}"
        found = [_point(ranks, r.effective.fpnh) for ranks, r in points.items()]
        panels.setdefault(milestone, {})[name] = sorted(found)
        place = places.setdefault((system, gpus), len(places))
        styles[name] = _style(place, "-" if mps else "--")
    return _panels(panels, styles, "ranks that share a GPU") if panels else None


def bundles_figure(results: list[Result], kind: str, what: str) -> Figure | None:
    """Seconds by ranks that share GPUs, strong or weak scaling."""
    lines: dict[str, Points] = {}
    for r in in_sweep(results, kind):
        if r.gpus:
            point = _point(r.ranks, r.extraction.seconds)
            lines.setdefault(f"{r.milestone}, {r.system}", []).append(point)
    return _lines(lines, what, "seconds of extraction")


def _ideal(axis, xs: list[float], ys: list[float]) -> None:
    """A dashed line: the ideal that starts at the smallest x."""
    axis.plot(xs, ys, color=style.GRAY, ls="--", lw=1, label="_ideal")


def cores_figure(results: list[Result]) -> Figure | None:
    """How many times as fast a frame is by more cores of a node; dashed: the ideal."""
    groups: dict[str, list[Result]] = {}
    for r in in_sweep(results, "strong", "threads"):
        if not r.gpus:
            what = "ranks" if r.scaling.kind == "strong" else "threads"
            groups.setdefault(f"{r.system}, {what}", []).append(r)
    lines: dict[str, Points] = {}
    for name, group in groups.items():
        ordered = sorted(group, key=lambda r: r.scaling.x)
        base = ordered[0].extraction.seconds.value * ordered[0].scaling.x
        for r in ordered:
            x, value, low, high = _point(float(r.scaling.x), r.extraction.seconds)
            lines.setdefault(name, []).append((x, base / value, base / high, base / low))
    drawn = _lines(lines, "cores", "times as fast as one core")
    if drawn is not None:
        xs = sorted({p[0] for points in lines.values() for p in points})
        axis = drawn.axes[0]
        _ideal(axis, xs, xs)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log", base=2)
        style.whole_ticks(axis.xaxis, xs)
        style.whole_ticks(axis.yaxis, xs)
        axis.set_ylim(0.8 * min(1.0, *(p[2] for points in lines.values() for p in points)), None)
    return drawn


def weak_figure(results: list[Result], kind: str) -> Figure | None:
    """The efficiency of work that grows with ranks or nodes; dashed: the ideal."""
    groups: dict[str, list[Result]] = {}
    for r in in_sweep(results, kind):
        groups.setdefault(f"{r.system}, {r.milestone}", []).append(r)
    lines: dict[str, Points] = {}
    for name, group in groups.items():
        ordered = sorted(group, key=lambda r: r.scaling.x)
        base = ordered[0].effective.seconds.value
        for r in ordered:
            x, value, low, high = _point(float(r.scaling.x), r.effective.seconds)
            lines.setdefault(name, []).append(
                (x, 100 * base / value, 100 * base / high, 100 * base / low)
            )
    what = "nodes" if kind == "weak-nodes" else "ranks, a frame each"
    drawn = _lines(lines, what, "efficiency, launch to exit (%)")
    if drawn is not None:
        xs = sorted({p[0] for points in lines.values() for p in points})
        _ideal(drawn.axes[0], [xs[0], xs[-1]], [100.0, 100.0])
        drawn.axes[0].set_xscale("log", base=2)
        style.whole_ticks(drawn.axes[0].xaxis, xs)
    return drawn


def patch_figure(results: list[Result]) -> Figure | None:
    """Seconds by nwavestep."""
    lines: dict[str, Points] = {}
    for r in in_sweep(results, "nwavestep"):
        label = f"{r.milestone} by {options(r).get('method', 'its own method')}, {r.system}"
        lines.setdefault(label, []).append(_point(float(r.scaling.x), r.effective.seconds))
    return _lines(lines, "nwavestep (bins of a patch)", "seconds from launch to exit")
