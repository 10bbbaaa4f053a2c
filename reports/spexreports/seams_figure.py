"""The seams that patches leave in the flux, and that the flux of the whole frame does not have."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from spexreports import style
from spexreports.seams import BRIGHTNESS, Seams, profile


def seams_figure(seams: Seams, title: str) -> Figure:
    """Mean squared pull, and how far the two fluxes are apart, by distance from the edge."""
    figure, (pulls, apart) = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
    markers = ("o", "s", "^")
    for (name, least, most), marker in zip(BRIGHTNESS, markers, strict=True):
        one = profile(seams, least, most)
        if one is None:
            continue
        distance = np.arange(len(one.count))
        for k, (solver, colour) in enumerate((("patch", style.VERMILION), ("frame", style.BLUE))):
            pulls.errorbar(
                distance,
                one.square[k],
                one.error[k],
                color=colour,
                marker=marker,
                ms=4,
                lw=1.2,
                elinewidth=0.8,
                label=f"{solver}, S/N {name}",
            )
        apart.plot(distance, one.apart, color=style.BLACK, marker=marker, ms=4, label=f"S/N {name}")
    pulls.axhline(1, color=style.GREY, lw=0.8)
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
