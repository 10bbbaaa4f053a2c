"""Colours and sizes of all figures: the colour-blind safe palette of Okabe and Ito."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # files only; no display is needed

import matplotlib.pyplot as plt
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


def save(figure: Figure, path: Path) -> Path:
    """Writes a figure, without the date and version that would change its bytes, and closes it."""
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
    return path
