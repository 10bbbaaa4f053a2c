"""The nodes of an allocation beside each other, with the odd ones by name."""

import numpy as np

from spexreports import style
from spexreports.nodes import FEWEST, LIMIT, MARGIN, NodeEntry
from spexreports.section import Picture

COLOURS = {"SLOW": style.VERMILION, "FAST": style.BLUE, "ok": style.GREY}
MARKERS = {"effective": "o", "extraction": "D"}
SPREAD = 0.18  # of a row, between its clocks


def nodes_figure(found: list[NodeEntry], margin: float = MARGIN) -> Picture:
    """A row for each node, a panel for each entry: per cent beside the median of the nodes."""
    with_speed = [one for one in found if one.speeds]
    entries = list(dict.fromkeys(one.entry for one in with_speed))
    nodes = sorted({one.node for one in with_speed})
    figure, axes = style.column_figure(
        18 + 3.2 * len(nodes), 1, len(entries), width=style.PAGE_WIDTH, sharey=True
    )
    for axis, entry in zip(axes[0], entries, strict=True):
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
                    color=COLOURS[speed.word],
                )
        axis.set_title(entry)
        axis.set_xlabel("seconds beside the median of the nodes (%)")
    axes[0, 0].set_yticks(range(len(nodes)), labels=nodes)
    axes[0, 0].set_ylim(len(nodes) - 0.4, -0.6)
    caption = (
        "Each node's seconds beside the median of all nodes, with the interval of its own runs; "
        "circles by the effective clock, diamonds by the extraction's. Grey band: the margin of "
        f"{100 * margin:g}%. Red: slow, more than {LIMIT} robust standard deviations (1.4826 MAD) "
        f"and the margin above the median, with the whole interval; blue: fast. From {FEWEST} "
        "nodes on."
    )
    return Picture("nodes", figure, caption)
