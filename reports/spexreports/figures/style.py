"""Colors and sizes of all figures: the colorblind-safe palette of Okabe and Ito."""

import math
from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # files only; no display is needed

import matplotlib.pyplot as plt
from matplotlib.colorbar import Colorbar
from matplotlib.colors import AsinhNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, StrMethodFormatter

BLUE = "#0072B2"
ORANGE = "#E69F00"
VERMILION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
SKY = "#56B4E9"
BLACK = "#222222"
GRAY = "#8A8A8A"
CYCLE = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY]
MARKERS = "osD^vP"

FLUX_LABEL = "flux (electron / Å)"
WAVE_LABEL = "wavelength (Å)"

# A phone is 390 px wide, and a column of an A4 page 110 mm: letters of 9 pt are legible at both.
WIDTH = 4.4  # inch
FONT = 9


def line_style(index: int) -> tuple[str, str]:
    """Color and marker of a line; the first 36 differ in at least one."""
    turn, place = divmod(index, len(CYCLE))
    return CYCLE[place], MARKERS[(place + turn) % len(MARKERS)]


def point(nbins: int) -> dict[str, object]:
    """A marker for a line over a single bin, which has no length; nothing for more bins."""
    return {"marker": "o", "ms": 4} if nbins == 1 else {}


def ends(wave: Sequence[float], step: float) -> tuple[float, float]:
    """Limits of an axis over these bins: the first and the last, or the ends of a single one."""
    half = step / 2 if len(wave) == 1 else 0.0
    return wave[0] - half, wave[-1] + half


def apply() -> None:
    """Sets the defaults of matplotlib."""
    matplotlib.rcdefaults()
    plt.rcParams.update(
        {
            "figure.dpi": 130,
            "savefig.dpi": 130,
            "font.size": FONT,
            "axes.titlesize": FONT + 0.5,
            "axes.titleweight": "bold",
            "axes.prop_cycle": plt.cycler(color=CYCLE),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlelocation": "left",
            "axes.unicode_minus": True,
            "figure.titlesize": FONT + 2,
            "legend.frameon": False,
            "legend.fontsize": FONT - 0.5,
            "image.origin": "lower",
            "image.interpolation": "nearest",
            "svg.hashsalt": "spexreports",  # same bytes each time
            # Letters stay text: a tenth of the bytes, and searchable.
            "svg.fonttype": "none",
            "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
        }
    )


def color_legend(drawn: Figure, colors: dict[str, str], shown: set[str], ncols: int) -> None:
    """A legend below a figure of bars: a patch of color for each name that is shown."""
    drawn.legend(
        handles=[Patch(color=c, label=name) for name, c in colors.items() if name in shown],
        loc="outside lower left",
        ncols=ncols,
        handlelength=1.2,
        columnspacing=1.0,
    )


def figure(height: float, nrows: int = 1, ncols: int = 1, **options) -> tuple:
    """A figure of WIDTH by `height` inches and its axes, an array `[row, column]`."""
    size = (WIDTH, height)
    return plt.subplots(nrows, ncols, figsize=size, layout="constrained", squeeze=False, **options)


def whole_ticks(axis, values: list[float]) -> None:
    """Labels an axis (`Axes.xaxis`), logarithmic or not, at only these values."""
    axis.set_ticks(values, labels=[f"{v:g}" for v in values])
    axis.set_minor_locator(plt.NullLocator())


def thousands(axis) -> None:
    """Writes the numbers of an axis as 120,000."""
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def log_ticks(axis) -> None:
    """Labels a logarithmic axis as densely as its range allows."""
    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    subs = (1, 2, 5) if decades < 1.5 else (1, 3) if decades < 2.2 else (1,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_minor_locator(plt.NullLocator())
    axis.set_major_formatter(StrMethodFormatter("{x:,g}"))


def electron_norm(top: float) -> AsinhNorm:
    """Scale of a CCD image: linear near 0, to show the noise, and logarithmic towards `top`."""
    return AsinhNorm(linear_width=15, vmin=-15, vmax=max(top, 50.0))


def set_electron_ticks(bar: Colorbar, norm: AsinhNorm) -> None:
    """Labels a color bar at round values that are far enough apart on that scale."""
    steps = [10.0**e for e in range(1, 9)]
    if norm.vmax < 3000:
        steps = sorted(steps + [3 * step for step in steps])
    ticks = [0.0, *(t for t in steps if norm.linear_width * 1.5 < t <= norm.vmax)]
    bar.set_ticks(ticks, labels=[f"{t:,.0f}" for t in ticks])
    bar.minorticks_off()


def set_title(drawn: Figure, title: str) -> None:
    """Sets the title of a figure, left-aligned."""
    drawn.suptitle(title, x=0.01, ha="left", fontweight="bold")


def save(drawn: Figure, path: Path) -> Path:
    """Writes a figure as PNG or SVG without a date, which would change its bytes; closes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    vector = path.suffix == ".svg"
    # Limit the size of rasterized parts of an SVG.
    options = (
        {"dpi": 110, "metadata": {"Date": None}} if vector else {"metadata": {"Software": None}}
    )
    drawn.savefig(path, **options)
    plt.close(drawn)
    return path
