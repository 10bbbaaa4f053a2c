"""Points in rows on a logarithmic axis, in groups with headings."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from spexreports import style

ROW_MM = 3.9


@dataclass(frozen=True)
class Bar:
    """A row: what it is, its value, and the file it is from."""

    label: str
    value: float
    file: str


def bar_picture(
    groups: dict[str, list[Bar]],
    colours: dict[str, str],
    xlabel: str,
    ylabel: str,
    text_of: Callable[[float], str],
) -> Figure:
    """Rows by heading, colours by file; the value stands beside each, as `text_of` says it."""
    bars = [bar for members in groups.values() for bar in members]
    rows = len(bars) + len(groups)
    figure, axes = style.column_figure(16 + ROW_MM * rows)
    axis = axes[0, 0]
    low = 10.0 ** math.floor(math.log10(min(bar.value for bar in bars) / 1.5))
    high = max(bar.value for bar in bars)
    axis.set_xscale("log")
    # Room for the value beside the largest.
    axis.set_xlim(low, high * (high / low) ** 0.4)
    labels, headings, row = {}, set(), 0
    for heading, members in groups.items():
        labels[row] = heading
        headings.add(row)
        for bar in members:
            row += 1
            axis.plot([low, bar.value], [row, row], color="#D0D0D0", lw=0.8, zorder=1)
            axis.plot(bar.value, row, ls="", marker="o", color=colours[bar.file])
            axis.annotate(
                text_of(bar.value),
                (bar.value, row),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=style.SMALLEST_FONT,
            )
            labels[row] = bar.label
        row += 1
    axis.set_yticks(list(labels), labels=list(labels.values()))
    for place, label in zip(labels, axis.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if place in headings else "normal")
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(rows - 0.3, -0.7)
    # Row labels leave the axis little width, and the label what lies left of it.
    axis.set_xlabel(xlabel, loc="right")
    axis.set_ylabel(ylabel)
    present = {bar.file for bar in bars}
    handles = [Patch(color=c, label=f) for f, c in colours.items() if f in present]
    figure.legend(handles=handles, loc="outside upper left", ncols=1)
    return figure
