"""The nodes of an allocation, with the names of odd ones, and their distribution."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from spexreports.figures import style
from spexreports.results.nodes import MARGIN, UNDECIDED, NodeEntry

COLORS = {"SLOW": style.VERMILION, "FAST": style.BLUE, UNDECIDED: style.ORANGE, "ok": style.GRAY}
MARKERS = {"effective": "o", "extraction": "D"}
LABELS = {"effective": "launch to exit", "extraction": "extraction"}
SPREAD = 0.18  # of a row, between its clocks


def _band(axis: Axes, margin: float) -> None:
    axis.axvspan(-100 * margin, 100 * margin, color="#E4E4E4", lw=0)
    axis.axvline(0, color=style.BLACK, lw=0.6)


def _draw_rows(axis: Axes, found: list[NodeEntry], nodes: list[str]) -> None:
    for one in found:
        offsets = np.linspace(-SPREAD, SPREAD, len(one.speeds)) if len(one.speeds) > 1 else [0]
        for speed, offset in zip(one.speeds, offsets, strict=True):
            value, row = 100 * speed.beyond, nodes.index(one.node) + offset
            low, high = (100 * end for end in speed.ends)
            axis.errorbar(
                value,
                row,
                xerr=[[value - low], [high - value]],
                fmt=MARKERS[speed.clock],
                color=COLORS[speed.verdict],
            )
    axis.set_yticks(range(len(nodes)), labels=nodes)
    axis.set_ylim(len(nodes) - 0.4, -0.6)


def _draw_distribution(axis: Axes, found: list[NodeEntry]) -> None:
    """The part of the nodes that are at most so slow, by clock."""
    for clock, line in (("effective", "-"), ("extraction", "--")):
        values = sorted(100 * s.beyond for e in found for s in e.speeds if s.clock == clock)
        if values:
            parts = np.arange(1, len(values) + 1) / len(values)
            axis.step(values, 100 * parts, where="post", color=style.BLACK, ls=line, lw=1)
    axis.set_ylim(0, 105)
    axis.set_ylabel("nodes, %")


def nodes_figure(found: list[NodeEntry], margin: float = MARGIN) -> Figure:
    """For each entry a row per node, and the distribution of the nodes: percent from their median.

    The gray band is the margin.
    """
    with_speed = [one for one in found if one.speeds]
    entries = list(dict.fromkeys(one.entry for one in with_speed))
    nodes = sorted({one.node for one in with_speed})
    rows = 0.5 + 0.18 * len(nodes)
    drawn, axes = style.figure(
        1.3 + (rows + 1.1) * len(entries),
        2 * len(entries),
        sharex=True,
        gridspec_kw={"height_ratios": [rows, 1.0] * len(entries)},
    )
    for k, entry in enumerate(entries):
        here = [one for one in with_speed if one.entry == entry]
        for axis in axes[2 * k : 2 * k + 2, 0]:
            _band(axis, margin)
        _draw_rows(axes[2 * k, 0], here, nodes)
        _draw_distribution(axes[2 * k + 1, 0], here)
        axes[2 * k, 0].set_title(entry)
    axes[-1, 0].set_xlabel("seconds beside the median of the nodes (%)")
    shown = {speed.verdict for one in with_speed for speed in one.speeds}
    handles = [
        Line2D([], [], marker=marker, ls=line, color=style.BLACK, label=LABELS[clock])
        for (clock, marker), line in zip(MARKERS.items(), ("-", "--"), strict=True)
    ]
    handles += [
        Line2D([], [], marker="s", ls="", color=color, label=verdict)
        for verdict, color in COLORS.items()
        if verdict in shown
    ]
    drawn.legend(handles=handles, loc="outside lower left", ncols=3, handlelength=1.6)
    return drawn
