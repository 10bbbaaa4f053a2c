"""The speed of a long run over time, and the state of its machine."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.read import read_json
from spexreports.results.result import Result

BUSY = "busy, %"
HOST = "CPUs or node"


def _draw_rate(axis: Axes, result: Result, unit: float) -> None:
    blocks = result.timed[-1]["sustained"]["soak"]["blocks"]
    edges = [blocks[0]["begin_s"] / unit]
    edges += [(b["begin_s"] + b["seconds"]) / unit for b in blocks]
    rates = [3600 * b["frames"] / b["seconds"] / result.nodes for b in blocks]
    axis.stairs(rates, edges, baseline=None, color=style.BLUE, lw=1.2)
    axis.axhline(result.sustained["fpnh"]["median"], color=style.GRAY, ls=":", lw=1)
    axis.set_ylim(0, 1.15 * max(rates))
    style.thousands(axis.yaxis)
    axis.set_ylabel("FPNH")


def _draw_lines(axis: Axes, lines: pd.DataFrame, label: str) -> None:
    for index, name in enumerate(lines):
        color = style.BLACK if name == HOST else style.line_style(index)[0]
        known = lines[name].dropna()
        axis.plot(known.index, known, color=color, lw=1, label=name)
    axis.set_ylabel(label)
    axis.margins(y=0.15)
    if label == BUSY:
        axis.set_ylim(0, 105)


def _panels(series: dict[str, Any], xs: list[float]) -> dict[str, pd.DataFrame]:
    """The measured lines by label; GPUs first, so that each keeps its color."""

    def lines(key: str, host: list[float | None] | pd.Series | None, factor: float = 1):
        found = {f"GPU {i}": gpu[key] for i, gpu in enumerate(series["gpus"])}
        found |= {} if host is None else {HOST: list(host)}
        frame = pd.DataFrame(found, index=xs, dtype=float) * factor
        return frame.dropna(axis=1, how="all")

    node = series["node"]
    power = pd.Series(node["power_w"], dtype=float)
    if power.isna().all():
        # The mean between samples, from the energy of the meter.
        power = (
            pd.Series(node["energy_j"], dtype=float).diff() / pd.Series(series["seconds"]).diff()
        )
    panels = {
        "°C": lines("temperature_c", None),
        "MHz": lines("clock_sm_mhz", None if series["gpus"] else series["cpu_mhz"]),
        "W": lines("power_w", power),
        BUSY: lines("busy", series["cpu_busy"], 100),
    }
    return {label: frame for label, frame in panels.items() if not frame.empty}


def night_figure(result: Result) -> Figure | None:
    """Speed, temperatures, clocks, power and use over time; None without the series."""
    file = result.beside("series")
    if not file.exists() or not result.timed or not result.timed[-1]["sustained"]["soak"]:
        return None
    series = read_json(file)
    unit = 60.0 if series["seconds"][-1] > 300 else 1.0
    # The clock of the blocks starts with the first written frame.
    first = next((s for s, f in zip(series["seconds"], series["frames"], strict=True) if f), 0.0)
    xs = [(s - first) / unit for s in series["seconds"]]
    panels = _panels(series, xs)
    drawn, axes = style.figure(1.2 + 0.95 * len(panels), nrows=1 + len(panels), sharex=True)
    _draw_rate(axes[0, 0], result, unit)
    for axis, (label, lines) in zip(axes[1:, 0], panels.items(), strict=True):
        _draw_lines(axis, lines, label)
    axes[-1, 0].set_xlabel(f"{'minutes' if unit > 1 else 'seconds'} since the first frame")
    drawn.align_ylabels()
    handles = {line.get_label(): line for axis in axes[1:, 0] for line in axis.lines}
    drawn.legend(handles.values(), handles, loc="outside lower left", ncols=3, handlelength=1.6)
    return drawn
