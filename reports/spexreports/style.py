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
            "figure.dpi": 110,
            "savefig.dpi": 110,
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.prop_cycle": plt.cycler(color=CYCLE),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "legend.frameon": False,
            "image.origin": "lower",
            "image.interpolation": "nearest",
        }
    )


def electron_norm(top: float) -> AsinhNorm:
    """Scale of a CCD image: linear near 0, so that noise shows, logarithmic towards `top`."""
    top = max(top, 50.0)
    return AsinhNorm(linear_width=top / 40, vmin=-top / 40, vmax=top)


def set_electron_ticks(bar: Colorbar, norm: AsinhNorm) -> None:
    """Labels a colour bar at round values that stand apart on that scale."""
    steps = [m * 10.0**e for e in range(1, 9) for m in (1, 3)]
    ticks = [0.0, *(t for t in steps if norm.linear_width * 1.5 < t <= norm.vmax)]
    bar.set_ticks(ticks, labels=[f"{t:,.0f}" for t in ticks])


def save(figure: Figure, path: Path) -> Path:
    """Writes a figure, without the date and version that would change its bytes, and closes it."""
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
    return path
