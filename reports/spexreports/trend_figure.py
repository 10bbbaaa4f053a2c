"""The figure of merit over time, for an entry on a system."""

import textwrap

import matplotlib.dates as mdates

from spexreports import style
from spexreports.gpu_scaling_figure import error_bars, interval_words
from spexreports.result import Result
from spexreports.section import Missing, Picture, by_group
from spexreports.work import has_fpnh, settings

PANEL_LINES = 6  # of one figure; more could not be told apart


def trend_figure(results: list[Result]) -> list[Picture] | Missing:
    """FPNH over the date of the run, a line for each entry of a case on a system."""
    groups = by_group(
        [r for r in results if r.extraction and has_fpnh(r)],
        lambda r: (r.entry, r.case, r.system, settings(r)),
    )
    groups = {k: g for k, g in groups.items() if len({r.start for r in g}) > 1}
    if not groups:
        return Missing("no entry with valid results of two dates on the same system")
    keys = list(groups)
    pictures = []
    for first in range(0, len(keys), PANEL_LINES):
        shown = keys[first : first + PANEL_LINES]
        figure, axes = style.column_figure(60 + 3 * len(shown))
        axis = axes[0, 0]
        for i, key in enumerate(shown):
            runs = sorted(groups[key], key=lambda r: r.start)
            values = [r.extraction.fpnh for r in runs]
            colour, marker = style.look(i)
            axis.errorbar(
                [r.start for r in runs],
                [v.value for v in values],
                yerr=error_bars(values),
                color=colour,
                marker=marker,
                label=textwrap.fill(f"{key[0]} ({key[1]}), {key[2]}", 44),
            )
        locator = mdates.AutoDateLocator(maxticks=5)
        axis.xaxis.set_major_locator(locator)
        axis.xaxis.set_major_formatter(mdates.ConciseDateFormatter(locator))
        axis.set_ylim(bottom=0)
        axis.set_xlabel("date of the run (UTC)")
        axis.set_ylabel("FPNH (frames per node-hour)")
        figure.legend(loc="outside upper left")
        all_runs = [r for key in shown for r in groups[key]]
        name = "trend" if first == 0 else f"trend-{first // PANEL_LINES + 1}"
        caption = (
            "FPNH by the extraction clock over the date of the run, for the same entry, settings "
            f"and system. {interval_words(all_runs)} Builds may differ: the provenance names them."
        )
        pictures.append(Picture(name, figure, caption))
    return pictures
