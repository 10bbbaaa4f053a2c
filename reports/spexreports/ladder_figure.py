"""Figure of merit: the paper's systems and ours, milestone by milestone."""

import math
import textwrap
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from spexreports import style
from spexreports.marks import explained, symbols
from spexreports.numbers import number
from spexreports.order_statistics import Estimate
from spexreports.published import MILESTONES, Rung, read_published
from spexreports.result import Result
from spexreports.section import Missing, Picture, rungs
from spexreports.work import PAPER, PRODUCTION

NAME_WIDTH = 40  # characters of a row's name
ROW_MM = 3.3
EFFECTIVE_PLACE, EXTRACTION_PLACE = 0.89, 1.0  # of the numbers, in widths of the axes
NUMBERS_WIDTH = 0.22  # of the axes


@dataclass(frozen=True)
class Row:
    """A heading, which has a name alone, or a system's speeds."""

    name: str
    paper: float | None = None
    effective: Estimate | None = None
    extraction: Estimate | None = None


def _name(result: Result, results: list[Result]) -> str:
    """What tells a row of ours from the others of its milestone: entry, or system, or both."""
    same = [r for r in results if r.milestone == result.milestone and r.system == result.system]
    if len({r.system for r in results}) == 1:
        name = result.entry
    elif len(same) == 1 or result.entry == result.milestone:
        name = result.system
    else:  # the milestone stands above the rows
        name = f"{result.system}, {result.entry.removeprefix(result.milestone + '-')}"
    short = textwrap.shorten(name, NAME_WIDTH, placeholder="…") or name[:NAME_WIDTH]
    return short + symbols(result)


def _paper_row(rung: Rung) -> Row:
    count = "" if rung.gpus_per_node is None else f"{rung.gpus_per_node} × "
    return Row(f"{rung.system}, {count}{rung.processor}", paper=rung.fpnh)


def ladder_rows(chosen: list[Result]) -> list[Row]:
    """A heading for each milestone, then the paper's rows and ours."""
    rows = []
    for milestone in MILESTONES:
        members = [_paper_row(r) for r in read_published().ladder if r.milestone == milestone]
        members += [
            Row(_name(r, chosen), effective=r.effective.fpnh, extraction=r.extraction.fpnh)
            for r in chosen
            if r.milestone == milestone
        ]
        if members:
            rows += [Row(milestone), *members]
    return rows


def _point(axis: Axes, place: int, speed: Estimate, marker: str, colour: str) -> None:
    low = speed.value if speed.low is None else speed.low
    high = speed.value if speed.high is None else speed.high
    axis.errorbar(
        speed.value,
        place,
        xerr=[[speed.value - low], [high - speed.value]],
        fmt=marker,
        color=colour,
        # Open: a single run, which has no interval.
        markerfacecolor="white" if speed.low is None else colour,
        ms=3.2,
        lw=0.8,
    )


def _text(axis: Axes, x: float, place: float, text: str, **options: object) -> None:
    axis.text(
        x,
        place,
        text,
        transform=axis.get_yaxis_transform(),
        va="center",
        ha="right",
        fontsize=style.SMALLEST_FONT,
        **options,
    )


def _draw(axis: Axes, rows: list[Row]) -> None:
    for x, title in ((EFFECTIVE_PLACE, "effective"), (EXTRACTION_PLACE, "extraction")):
        _text(axis, x, -0.9, title, color="#444444")
    for place, row in enumerate(rows):
        if row.paper is not None:
            axis.plot(row.paper, place, ls="", marker="s", color=style.GREY, ms=3.2)
            _text(axis, EFFECTIVE_PLACE, place, f"{row.paper:.2f}", color="#666666")
        if row.effective and row.extraction:
            ends = [row.effective.value, row.extraction.value]
            axis.plot(ends, [place, place], color="#C8C8C8", lw=0.8, zorder=1)
            _point(axis, place, row.effective, "o", style.BLUE)
            _point(axis, place, row.extraction, "D", style.VERMILION)
            _text(axis, EFFECTIVE_PLACE, place, number(row.effective.value), color=style.BLUE)
            _text(
                axis, EXTRACTION_PLACE, place, number(row.extraction.value), color=style.VERMILION
            )
    names = [row.name for row in rows]
    axis.set_yticks(range(len(rows)), labels=names)
    for row, label in zip(rows, axis.get_yticklabels(), strict=True):
        label.set_fontweight("normal" if row.paper or row.effective else "bold")
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(len(rows) - 0.4, -1.5)


def _make_room(axis: Axes) -> None:
    """Widens the axis for the numbers at its right, where it has no ticks."""
    low, high = axis.get_xlim()
    decades = math.log10(high / low)
    ticks = [10.0**e for e in range(-3, 12) if low <= 10.0**e <= high]
    axis.set_xlim(low, low * 10 ** (decades / (1 - NUMBERS_WIDTH)))
    axis.set_xticks(ticks)
    axis.minorticks_off()


def _figure(chosen: list[Result]) -> Figure:
    rows = ladder_rows(chosen)
    notes = [
        f"Published: 30 real frames; {PAPER}. Here: simulated frames; {PRODUCTION}. "
        "Bars are intervals of the median; open markers are single runs.",
        *explained(chosen),
    ]
    figure, axes = style.column_figure(
        26 + ROW_MM * len(rows) + 3 * len(notes), width=style.PAGE_WIDTH
    )
    axis = axes[0, 0]
    axis.set_xscale("log")
    axis.grid(axis="x", color="#E6E6E6", lw=0.5)
    axis.set_axisbelow(True)
    _draw(axis, rows)
    _make_room(axis)
    axis.set_xlabel("figure of merit FPNH (frames per node-hour), logarithmic")
    axis.set_ylabel("system or entry")
    handles = [
        Line2D([], [], ls="", color=style.GREY, marker="s", ms=3.2, label="published"),
        Line2D([], [], ls="", color=style.BLUE, marker="o", ms=3.2, label="here, effective clock"),
        Line2D(
            [], [], ls="", color=style.VERMILION, marker="D", ms=3.2, label="here, extraction clock"
        ),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=3)
    style.footnotes(figure, notes, 140)
    return figure


def ladder_figure(results: list[Result]) -> list[Picture] | Missing:
    """The speeds of all entries that are valid, of whole frames, and no point of a sweep."""
    chosen = [r for r in rungs(results) if r.effective and r.extraction]
    if not chosen:
        return Missing(
            "no valid entry of the ladder (of whole frames, no point of a sweep, not of tier ci)"
        )
    caption = (
        "Frames per node-hour by milestone. Grey: "
        + read_published().ladder_citation
        + ". Blue: here, from the launcher's start to its exit; vermilion: from the barrier of all "
        "ranks to the last file."
    )
    return [Picture("ladder", _figure(chosen), caption)]
