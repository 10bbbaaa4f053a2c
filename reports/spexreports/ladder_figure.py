"""Figure-of-merit bars: the paper's systems and ours, milestone by milestone."""

import textwrap

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from spexreports import style
from spexreports.published import MILESTONES, read_published
from spexreports.result_files import Result
from spexreports.section import Missing, Picture, rungs

NAME_WIDTH = 26  # characters of a bar's name


def _short(text: str) -> str:
    return textwrap.shorten(text, NAME_WIDTH, placeholder="…") or text[:NAME_WIDTH]


def _name(result: Result, results: list[Result]) -> str:
    """What tells a bar of ours from the others of its milestone: entry, or system, or both."""
    same = [r for r in results if r.milestone == result.milestone and r.system == result.system]
    if len({r.system for r in results}) == 1:
        name = result.entry
    elif len(same) == 1 or result.entry == result.milestone:
        name = result.system
    else:  # the milestone stands above the bars
        name = f"{result.system}, {result.entry.removeprefix(result.milestone + '-')}"
    return _short(name) + ("*" if result.scaled_to else "") + ("" if result.published else "†")


def _draw(axis, chosen: list[Result]) -> int:
    """Draws bars from top to bottom; returns how many rows there are."""
    row, ticks, names = 0, [], []
    for milestone in MILESTONES:
        paper = [r for r in read_published().ladder if r.milestone == milestone]
        ours = [r for r in chosen if r.milestone == milestone]
        if not paper and not ours:
            continue
        axis.text(
            0.01,
            row,
            milestone,
            transform=axis.get_yaxis_transform(),
            va="center",
            fontweight="bold",
            fontsize=style.SMALLEST_FONT,
        )
        row += 1
        bars = [(f"{r.system} {r.processor}", r.fpnh, None, style.GREY) for r in paper]
        bars += [
            (_name(r, chosen), r.effective.fpnh.median, r.extraction, style.BLUE) for r in ours
        ]
        for name, fpnh, extraction, colour in bars:
            axis.barh(row, fpnh, height=0.75, color=colour)
            end = fpnh
            if extraction:
                spread = extraction.fpnh
                low, high = spread.low or spread.median, spread.high or spread.median
                error = [[spread.median - low], [high - spread.median]]
                axis.errorbar(
                    spread.median, row, xerr=error, fmt="D", color=style.VERMILION, ms=2.6, lw=0.8
                )
                end = max(end, high)
            axis.annotate(
                f"{fpnh:,.3g}" if fpnh < 1000 else f"{fpnh:,.0f}",
                (end, row),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=style.SMALLEST_FONT,
            )
            ticks.append(row)
            names.append(name)
            row += 1
        row += 0.3
    axis.set_yticks(ticks, labels=names)
    axis.tick_params(axis="y", length=0)
    return row


def _figure(chosen: list[Result]) -> Figure:
    nrows = len(chosen) + len(read_published().ladder) + len(MILESTONES)
    figure, axes = style.column_figure(16 + 3.6 * nrows)
    axis = axes[0, 0]
    axis.set_xscale("log")
    last = _draw(axis, chosen)
    axis.set_ylim(last, -0.8)
    values = [r.fpnh for r in read_published().ladder]
    values += [f.fpnh.median for r in chosen for f in (r.effective, r.extraction) if f]
    axis.set_xlim(min(values) / 2, max(values) * 4)
    axis.set_xlabel("figure of merit FPNH (frames per node-hour)")
    axis.set_ylabel("system or entry")
    figure.legend(
        handles=[
            Patch(color=style.GREY, label="published"),
            Patch(color=style.BLUE, label="here, effective"),
            Line2D([], [], color=style.VERMILION, marker="D", ms=2.6, label="here, extraction"),
        ],
        loc="outside upper left",
        ncols=3,
    )
    return figure


def ladder_figure(results: list[Result]) -> list[Picture] | Missing:
    """The bars of all entries that are valid and no point of a sweep."""
    chosen = [r for r in rungs(results) if r.effective]
    if not chosen:
        return Missing("no valid entry of the ladder (entries that are no point of a sweep)")
    caption = (
        "Frames per node-hour by milestone, logarithmic. Grey: "
        + read_published().ladder_citation
        + ". Blue: here, by the effective clock; diamonds: by the extraction clock, with the 95% "
        "interval. * fewer frames were run, and stand for the exposure. † not to be published: "
        "not all 30 frames of an exposure."
    )
    return [Picture("ladder", _figure(chosen), caption)]
