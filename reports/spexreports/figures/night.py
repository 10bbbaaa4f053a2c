"""How fast a long run was over its time, and how its machine was meanwhile."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.result import Result
from spexreports.results.series import read_series

BUSY = "busy, %"
HOST = "CPUs or node"
Lines = list[tuple[str, list[float | None]]]


def _scaled(values: list[float | None], factor: float) -> list[float | None]:
    return [None if v is None else v * factor for v in values]


def _draw_rate(axis: Axes, result: Result, unit: float) -> None:
    blocks = result.timed[-1]["sustained"]["soak"]["blocks"]
    edges = [blocks[0]["begin_s"] / unit]
    edges += [(b["begin_s"] + b["seconds"]) / unit for b in blocks]
    rates = [3600 * b["frames"] / b["seconds"] / result.nodes for b in blocks]
    axis.stairs(rates, edges, baseline=None, color=style.BLUE, lw=1.2)
    axis.axhline(result.sustained["fpnh"]["median"], color=style.GREY, ls=":", lw=1)
    axis.set_ylim(0, 1.15 * max(rates))
    style.thousands(axis.yaxis)
    axis.set_ylabel("FPNH")


def _draw_lines(axis: Axes, xs: list[float], lines: Lines, label: str) -> None:
    for index, (name, values) in enumerate(lines):
        known = [(x, y) for x, y in zip(xs, values, strict=True) if y is not None]
        colour = style.BLACK if name == HOST else style.look(index)[0]
        if known:
            axis.plot(*zip(*known, strict=True), color=colour, lw=1, label=name)
    axis.set_ylabel(label)
    axis.margins(y=0.15)
    if label == BUSY:
        axis.set_ylim(0, 105)


def _node_power(series: dict[str, Any]) -> list[float | None]:
    """As the meter gives it, or from its energy between the looks."""
    node, times = series["node"], series["seconds"]
    if any(v is not None for v in node["power_w"]):
        return node["power_w"]
    joules, power = node["energy_j"], [None]
    for i in range(1, len(times)):
        known = joules[i] is not None and joules[i - 1] is not None and times[i] > times[i - 1]
        power.append((joules[i] - joules[i - 1]) / (times[i] - times[i - 1]) if known else None)
    return power


def _panels(series: dict[str, Any]) -> list[tuple[str, Lines]]:
    """Label and lines of those that were measured; GPUs first, so that each keeps its colour."""
    names = [f"GPU {i}" for i in range(len(series["gpus"]))]

    def of_gpus(key: str, factor: float = 1) -> Lines:
        values = [_scaled(gpu[key], factor) for gpu in series["gpus"]]
        return list(zip(names, values, strict=True))

    node = [] if series["node"]["source"] is None else [(HOST, _node_power(series))]
    clocks = of_gpus("clock_sm_mhz") or [(HOST, series["cpu_mhz"])]
    wanted = [
        ("°C", of_gpus("temperature_c")),
        ("MHz", clocks),
        ("W", of_gpus("power_w") + node),
        (BUSY, [*of_gpus("busy", 100), (HOST, _scaled(series["cpu_busy"], 100))]),
    ]
    return [
        (label, lines)
        for label, lines in wanted
        if any(value is not None for _, values in lines for value in values)
    ]


def night_figure(result: Result) -> Figure | None:
    """Speed, temperatures, clocks, power and use over the time; None without its series."""
    file = result.beside("series")
    if not file.exists() or not result.timed or not result.timed[-1]["sustained"]["soak"]:
        return None
    series = read_series(file)
    unit = 60.0 if series["seconds"][-1] > 300 else 1.0
    # The blocks' clock begins with the first frame that was written.
    first = next((s for s, f in zip(series["seconds"], series["frames"], strict=True) if f), 0.0)
    xs = [(s - first) / unit for s in series["seconds"]]
    panels = _panels(series)
    drawn, axes = style.figure(1.2 + 0.95 * len(panels), nrows=1 + len(panels), sharex=True)
    _draw_rate(axes[0, 0], result, unit)
    for axis, (label, lines) in zip(axes[1:, 0], panels, strict=True):
        _draw_lines(axis, xs, lines, label)
    axes[-1, 0].set_xlabel(f"{'minutes' if unit > 1 else 'seconds'} since the first frame")
    drawn.align_ylabels()
    handles = {line.get_label(): line for axis in axes[1:, 0] for line in axis.lines}
    drawn.legend(handles.values(), handles, loc="outside lower left", ncols=3, handlelength=1.6)
    return drawn
