"""Seams of patches in the flux, which --flux frame does not have."""

import numpy as np
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.seams import BRIGHTNESS, Seams, profile


def seams_figure(seams: Seams, title: str) -> Figure:
    """Mean squared pull, and the difference of the two fluxes, by distance from the edge."""
    figure, axes = style.figure(5.6, nrows=2)
    pulls, apart = axes[:, 0]
    markers = ("o", "s", "^")
    for (name, minimum, maximum), marker in zip(BRIGHTNESS, markers, strict=True):
        found = profile(seams, minimum, maximum)
        if found is None:
            continue
        distance = np.arange(len(found.count))
        for k, (solver, color) in enumerate((("patch", style.VERMILION), ("frame", style.BLUE))):
            value, error = found.square[k], found.error[k]
            label = f"{solver}, S/N {name}"
            pulls.fill_between(distance, value - error, value + error, color=color, alpha=0.2, lw=0)
            pulls.plot(distance, value, color=color, marker=marker, ms=4, lw=1.2, label=label)
        apart.plot(
            distance, found.apart, color=style.BLACK, marker=marker, ms=4, label=f"S/N {name}"
        )
    pulls.axhline(1, color=style.GRAY, lw=0.8)
    pulls.set_ylabel("mean squared pull against the truth")
    pulls.set_title("1 where errors are what ivar says")
    pulls.legend(fontsize=8)
    apart.set_yscale("log")
    apart.set_ylabel("rms of (patch − frame) / σ")
    apart.set_title("what the patches' edges add")
    apart.legend(fontsize=8)
    for axis in (pulls, apart):
        axis.set_xlabel("bins from the nearest edge of a patch")
    style.set_title(figure, title)
    return figure
