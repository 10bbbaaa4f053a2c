"""The ratio of two results or of two runs, with its interval."""

from spexreports import style
from spexreports.comparison import Comparison, explained
from spexreports.section import Picture

COLOURS = {
    "SAME": style.GREY,
    "FASTER": style.GREEN,
    "SLOWER": style.VERMILION,
    "UNDECIDED": style.ORANGE,
}
CLOCK_MARKER = {"effective": "o", "extraction": "D"}


def comparison_figure(found: list[Comparison], margin: float) -> Picture:
    """A row for each clock of each entry; 1 is the same speed."""
    notes = explained(found)
    figure, axes = style.column_figure(22 + 5 * len(found) + 6 * len(notes))
    axis = axes[0, 0]
    axis.axvspan(1 / (1 + margin), 1 + margin, color="#E4E4E4", lw=0)
    axis.axvline(1, color=style.BLACK, lw=0.6)
    for row, one in enumerate(found):
        speed = one.speed
        low = speed.value if speed.low is None else speed.low
        high = speed.value if speed.high is None else speed.high
        axis.errorbar(
            speed.value,
            row,
            xerr=[[speed.value - low], [high - speed.value]],
            fmt=CLOCK_MARKER[one.clock],
            color=COLOURS[one.verdict],
        )
        axis.annotate(
            f"{speed.value:.3f} {one.verdict}",
            (max(high, speed.value), row),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=style.SMALLEST_FONT,
        )
    axis.set_yticks(range(len(found)), labels=[f"{c.marked_name}\n{c.clock}" for c in found])
    axis.set_ylim(len(found) - 0.4, -0.6)
    left, right = axis.get_xlim()
    axis.set_xlim(left, right + 0.45 * (right - left))
    axis.set_xlabel("speed of B over speed of A (ratio, 1: the same)")
    axis.set_ylabel("entry and clock")
    style.footnotes(figure, notes, 70)
    a, b = found[0].a, found[0].b
    caption = (
        f"B ({b.run_id}, {b.system}) against A ({a.run_id}, {a.system}): the ratio of their speeds "
        f"with its interval. Grey band: the margin of {100 * margin:g}%. SAME: an interval of 95% "
        "or more lies within it; FASTER, SLOWER: beyond it; UNDECIDED: neither, or too few runs "
        "for such an interval."
    )
    return Picture("comparison", figure, caption)
