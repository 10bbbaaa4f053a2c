"""Plots a frame's spectra."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from .errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._frame import Frame

#: Default number of spectra in a plot.
_MOST = 5


def _spectra(frame: "Frame", spectra: int | Iterable[int] | None) -> list[int]:
    """Numbers of spectra within the frame; a few of them, evenly spread, for None."""
    if spectra is None:
        return sorted({int(s) for s in np.linspace(0, frame.nspec - 1, _MOST)})
    wanted = [spectra] if isinstance(spectra, int | np.integer) else list(spectra)
    for spectrum in wanted:
        if not 0 <= spectrum < frame.nspec:
            raise UsageError(f"spectra: {spectrum} (expected 0 to {frame.nspec - 1})")
    return wanted


def plot(frame: "Frame", spectra: int | Iterable[int] | None, axes: "Axes | None") -> "Axes":
    """Frame.plot."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError("no matplotlib (expected: pip install 'spexbench[plot]')") from None

    wanted = _spectra(frame, spectra)
    if axes is None:
        _, axes = plt.subplots(figsize=(9, 4), layout="constrained")
    for spectrum in wanted:
        good = (frame.ivar[spectrum] > 0) & (frame.mask[spectrum] == 0)
        flux = np.where(good, frame.flux[spectrum], np.nan)
        sigma = 1 / np.sqrt(np.where(good, frame.ivar[spectrum], np.nan))
        [line] = axes.plot(frame.wave, flux, lw=0.8, label=f"spectrum {frame.specmin + spectrum}")
        axes.fill_between(
            frame.wave, flux - sigma, flux + sigma, color=line.get_color(), alpha=0.3, lw=0
        )
    axes.set_xlabel("wavelength (Å)")
    axes.set_ylabel("flux (electron / Å)")
    axes.set_title(frame.camera)
    axes.legend(loc="upper right")
    return axes
