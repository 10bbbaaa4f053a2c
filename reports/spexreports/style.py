"""Colours and sizes of all figures: the colour-blind safe palette of Okabe and Ito."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # files only; no display is needed

import matplotlib.pyplot as plt
from matplotlib.colorbar import Colorbar
from matplotlib.colors import AsinhNorm
from matplotlib.figure import Figure

BLUE = "#0072B2"
ORANGE = "#E69F00"
VERMILION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
SKY = "#56B4E9"
BLACK = "#222222"
GREY = "#8A8A8A"
CYCLE = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY]

FLUX_LABEL = "flux (electron / Å)"
WAVE_LABEL = "wavelength (Å)"


def apply() -> None:
    """Sets matplotlib's defaults."""
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
