"""The nodes of an allocation, with the names of odd ones."""

import numpy as np
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.nodes import MARGIN, NodeEntry

COLORS = {"SLOW": style.VERMILION, "FAST": style.BLUE, "ok": style.GRAY}
MARKERS = {"effective": "o", "extraction": "D"}
SPREAD = 0.18  # of a row, between its clocks


def nodes_figure(found: list[NodeEntry], margin: float = MARGIN) -> Figure:
    """A row per node and a panel per entry: percent from the median of the nodes.

    Circles are by the effective clock, diamonds by the extraction clock; the gray band is the
    margin.
    """
    with_speed = [one for one in found if one.speeds]
    entries = list(dict.fromkeys(one.entry for one in with_speed))
    nodes = sorted({one.node for one in with_speed})
    figure, axes = style.figure(1.0 + 0.18 * len(nodes) * len(entries), len(entries), sharex=True)
    for axis, entry in zip(axes[:, 0], entries, strict=True):
        axis.axvspan(-100 * margin, 100 * margin, color="#E4E4E4", lw=0)
        axis.axvline(0, color=style.BLACK, lw=0.6)
        for one in (o for o in with_speed if o.entry == entry):
            offsets = np.linspace(-SPREAD, SPREAD, len(one.speeds)) if len(one.speeds) > 1 else [0]
            for speed, offset in zip(one.speeds, offsets, strict=True):
                middle = speed.seconds.value / (1 + speed.beyond)
                value, row = 100 * speed.beyond, nodes.index(one.node) + offset
                low, high = speed.seconds.low, speed.seconds.high
                ends = [speed.seconds.value if end is None else end for end in (low, high)]
                left, right = (100 * (end / middle - 1) for end in ends)
                axis.errorbar(
                    value,
                    row,
                    xerr=[[value - left], [right - value]],
                    fmt=MARKERS[speed.clock],
                    color=COLORS[speed.verdict],
                )
        axis.set_title(entry)
        axis.set_yticks(range(len(nodes)), labels=nodes)
        axis.set_ylim(len(nodes) - 0.4, -0.6)
    axes[-1, 0].set_xlabel("seconds beside the median of the nodes (%)")
    return figure
