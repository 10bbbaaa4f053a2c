"""GPU activity during a batch of patches, by milestone."""

from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.trace import Trace

COLORS = {
    "spots": style.SKY,
    "assemble": style.ORANGE,
    "solve": style.BLUE,
    "decorrelate": style.GREEN,
    "quality": style.PURPLE,
}
LANES = ("stage", "kernel", "copy")


def trace_figure(traces: list[Trace]) -> Figure | None:
    """A panel per milestone: host stages, kernels and copies over the time of a patch."""
    if not traces:
        return None
    drawn, axes = style.figure(0.75 + 0.85 * len(traces), len(traces), sharex=True)
    for axis, one in zip(axes[:, 0], traces, strict=True):
        for name, start, end in one.stages:
            color = COLORS.get(name, style.GRAY)
            axis.broken_barh([(start, end - start)], (0.05, 0.9), facecolors=color, lw=0)
        for row, kind in enumerate(LANES[1:], 1):
            spans = [(start, end - start) for start, end in one.spans[kind]]
            axis.broken_barh(spans, (row + 0.05, 0.9), facecolors=style.BLACK, lw=0)
        axis.set_ylim(len(LANES), 0)
        axis.set_yticks([row + 0.5 for row in range(len(LANES))], labels=LANES)
        many = "a patch" if one.patches == 1 else f"{one.patches} patches"
        axis.set_title(f"{one.milestone}: {many}, {one.counts['kernel']} kernels")
    axes[-1, 0].set_xlim(left=0)
    axes[-1, 0].set_xlabel("milliseconds")
    shown = {name for one in traces for name, _, _ in one.stages}
    style.color_legend(drawn, COLORS, shown, ncols=4)
    return drawn
