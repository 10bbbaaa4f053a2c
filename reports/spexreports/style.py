"""Colours and sizes of all figures: the colour-blind safe palette of Okabe and Ito."""

import textwrap
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # files only; no display is needed

import matplotlib.pyplot as plt
from matplotlib.colorbar import Colorbar
from matplotlib.colors import AsinhNorm
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

BLUE = "#0072B2"
ORANGE = "#E69F00"
VERMILION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
SKY = "#56B4E9"
BLACK = "#222222"
GREY = "#8A8A8A"
CYCLE = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY]
MARKERS = "osD^vP"

FLUX_LABEL = "flux (electron / Å)"
WAVE_LABEL = "wavelength (Å)"


def look(index: int) -> tuple[str, str]:
    """Colour and marker of a figure's line; no two of the first 36 are the same in both."""
    turn, place = divmod(index, len(CYCLE))
    return CYCLE[place], MARKERS[(place + turn) % len(MARKERS)]


def apply() -> None:
    """Sets matplotlib's defaults."""
    matplotlib.rcdefaults()
    plt.rcParams.update(
        {
            "figure.dpi": 130,
            "savefig.dpi": 130,
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.prop_cycle": plt.cycler(color=CYCLE),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlelocation": "left",
            "axes.unicode_minus": True,
            "figure.titlesize": 12,
            "legend.frameon": False,
            "image.origin": "lower",
            "image.interpolation": "nearest",
        }
    )


COLUMN_DPI = 300
COLUMN_WIDTH = 85 / 25.4  # inch: a column of a journal
PAGE_WIDTH = 175 / 25.4  # inch: both columns and what is between them
SMALLEST_FONT = 6.5  # pt, at that width


def apply_column() -> None:
    """The same for figures of a column's width, which are to be read at that size."""
    apply()
    plt.rcParams.update(
        {
            "figure.dpi": COLUMN_DPI,
            "savefig.dpi": COLUMN_DPI,
            "font.size": 7,
            "axes.titlesize": 7.5,
            "axes.labelsize": 7,
            "xtick.labelsize": SMALLEST_FONT,
            "ytick.labelsize": SMALLEST_FONT,
            "legend.fontsize": SMALLEST_FONT,
            "legend.handlelength": 1.4,
            "legend.columnspacing": 1.0,
            "axes.linewidth": 0.5,
            "lines.linewidth": 1.0,
            "lines.markersize": 3.5,
            "xtick.major.width": 0.5,
            "ytick.major.width": 0.5,
            "xtick.minor.width": 0.4,
            "ytick.minor.width": 0.4,
            "xtick.major.size": 2.5,
            "ytick.major.size": 2.5,
            "xtick.minor.size": 1.5,
            "ytick.minor.size": 1.5,
            "errorbar.capsize": 1.5,
            "hatch.linewidth": 0.4,
            "figure.titlesize": 7.5,
        }
    )


def column_figure(
    height_mm: float, nrows: int = 1, ncols: int = 1, width: float = COLUMN_WIDTH, **options
) -> tuple:
    """A figure of a column's width (or of PAGE_WIDTH) and its axes, an array `[row, column]`."""
    return plt.subplots(
        nrows,
        ncols,
        figsize=(width, height_mm / 25.4),
        layout="constrained",
        squeeze=False,
        **options,
    )


def footnotes(figure: Figure, lines: list[str], characters: int) -> None:
    """Small print at the foot of a figure, where the marks within it are explained."""
    if lines:
        text = "\n".join(textwrap.fill(line, characters) for line in lines)
        figure.supxlabel(text, x=0.01, ha="left", fontsize=SMALLEST_FONT, color="#444444")


def whole_ticks(axis, values: list[float]) -> None:
    """Labels an axis (`Axes.xaxis`), logarithmic or not, at these values alone."""
    axis.set_ticks(values, labels=[f"{v:g}" for v in values])
    axis.set_minor_locator(plt.NullLocator())


def thousands(axis) -> None:
    """Writes the numbers of an axis as 120,000."""
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def electron_norm(top: float) -> AsinhNorm:
    """Scale of a CCD image: linear near 0, so that noise shows, logarithmic towards `top`."""
    return AsinhNorm(linear_width=15, vmin=-15, vmax=max(top, 50.0))


def set_electron_ticks(bar: Colorbar, norm: AsinhNorm) -> None:
    """Labels a colour bar at round values that stand apart on that scale."""
    steps = [10.0**e for e in range(1, 9)]
    if norm.vmax < 3000:
        steps = sorted(steps + [3 * step for step in steps])
    ticks = [0.0, *(t for t in steps if norm.linear_width * 1.5 < t <= norm.vmax)]
    bar.set_ticks(ticks, labels=[f"{t:,.0f}" for t in ticks])
    bar.minorticks_off()


def set_title(figure: Figure, title: str) -> None:
    """The heading of a figure, at its left."""
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")


def save(figure: Figure, path: Path) -> Path:
    """Writes a figure, without the date and version that would change its bytes, and closes it."""
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
    return path
