"""Plots a frame's spectra, and a PSF's traces over an image."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .errors import OutOfRangeError, UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._frame import Frame
    from ._psf import Psf

#: Default number of spectra in a plot.
_MOST = 5
#: Inches of a panel, and of the tallest figure.
_PANEL, _TALLEST = 1.6, 30.0
#: Part of the bins that a panel's scale shows: a sky line must not hide the continuum.
_SHOWN = 98.0


def pyplot() -> Any:
    """matplotlib.pyplot, or an ImportError that says how to get it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError("no matplotlib (expected: pip install 'spexbench[plot]')") from None
    return plt


def _spectra(frame: "Frame", spectra: int | Iterable[int] | None) -> list[int]:
    """Numbers of spectra within the frame; a few of them, evenly spread, for None."""
    if spectra is None:
        return sorted({int(s) for s in np.linspace(0, frame.nspec - 1, _MOST)})
    wanted = [spectra] if isinstance(spectra, int | np.integer) else list(spectra)
    if not wanted:
        raise UsageError("spectra: none (expected one or more)")
    for spectrum in wanted:
        if not 0 <= spectrum < frame.nspec:
            raise OutOfRangeError(f"spectra: {spectrum} (expected 0 to {frame.nspec - 1})")
    return wanted


def _draw(
    axes: "Axes", frame: "Frame", s: int, model: npt.NDArray[np.float64] | None
) -> npt.NDArray[np.float64]:
    """Draws a spectrum, and over it the model; returns the flux that is shown."""
    good = (frame.ivar[s] > 0) & (frame.mask[s] == 0)
    flux = np.where(good, frame.flux[s], np.nan)
    sigma = np.where(good, frame.error[s], np.nan)
    name = f"spectrum {frame.fibers[s]}"
    # A line through one bin has no length.
    point: dict[str, Any] = {"marker": "o", "ms": 4} if frame.nwave == 1 else {}
    [line] = axes.plot(frame.wave, flux, lw=0.8, drawstyle="steps-mid", label=name, **point)
    color = line.get_color()
    if point:
        axes.errorbar(frame.wave, flux, sigma, color=color, lw=0.8)
    axes.fill_between(
        frame.wave, flux - sigma, flux + sigma, step="mid", color=color, alpha=0.3, lw=0
    )
    if model is not None:
        axes.plot(frame.wave, model[s], lw=0.9, color="black", label="model", **point)
    return flux


def _scale(axes: "Axes", flux: npt.NDArray[np.float64]) -> None:
    """The axis ends above nearly all bins; the title says how far the others go."""
    known = flux[np.isfinite(flux)]
    if len(known) == 0:
        return
    low, high = np.percentile(known, [100 - _SHOWN, _SHOWN], method="lower")
    margin = 0.15 * (high - low) or 1.0
    axes.set_ylim(min(low, 0) - margin, high + margin)
    if known.max() > high + margin:
        axes.text(0.995, 0.93, f"highest: {known.max():.4g}", transform=axes.transAxes,
                  ha="right", va="top", fontsize="small")  # fmt: skip


def plot(
    frame: "Frame",
    spectra: int | Iterable[int] | None,
    axes: "Axes | None",
    model: npt.ArrayLike | None,
) -> "list[Axes]":
    """Frame.plot."""
    plt = pyplot()
    wanted = _spectra(frame, spectra)
    values = None if model is None else np.broadcast_to(np.asarray(model, float), frame.flux.shape)
    if axes is None:
        height = min(1.2 + _PANEL * len(wanted), _TALLEST)
        _, panels = plt.subplots(
            len(wanted), figsize=(9, height), sharex=True, squeeze=False, layout="constrained"
        )
        drawn = list(panels[:, 0])
        for panel, s in zip(drawn, wanted, strict=True):
            _scale(panel, _draw(panel, frame, s, values))
            panel.set_title(f"{frame.camera} spectrum {frame.fibers[s]}".strip(), fontsize="small")
        drawn[0].figure.supylabel("flux (electron / Å)")
    else:
        drawn = [axes]
        for s in wanted:
            _draw(axes, frame, s, values)
        axes.set_ylabel("flux (electron / Å)")
        axes.set_title(frame.camera)
        axes.legend(loc="upper right")
    drawn[-1].set_xlabel("wavelength in vacuum (Å)")
    return drawn


def show_image(axes: "Axes", image: Any) -> None:
    """Draws an image [ny, nx], without masked pixels; the scale shows faint and bright fibers."""
    from matplotlib.colors import AsinhNorm

    values = np.array(getattr(image, "image", image), dtype=np.float64)
    mask = getattr(image, "mask", None)
    if mask is not None:
        values[np.asarray(mask) != 0] = np.nan
    low, middle, high = np.nanpercentile(values, [1, 75, 99.5])
    norm = AsinhNorm(linear_width=max(middle - low, 1e-9), vmin=low, vmax=max(high, low + 1e-9))
    axes.imshow(values, origin="lower", norm=norm, cmap="Greys", aspect="auto")


def plot_traces(
    psf: "Psf", fibers: npt.NDArray[np.int64], image: Any, axes: "Axes | None", wave: Any
) -> "Axes":
    """Psf.plot."""
    plt = pyplot()
    if axes is None:
        _, axes = plt.subplots(figsize=(7, 7), layout="constrained")
    if image is not None:
        shape = np.shape(getattr(image, "image", image))
        if shape != (psf.npix_y, psf.npix_x):
            raise UsageError(
                f"image: has the shape {' x '.join(map(str, shape))} "
                f"(expected {psf.npix_y} x {psf.npix_x}, the PSF's CCD)"
            )
        show_image(axes, image)
    rows = np.linspace(0, psf.npix_y - 1, 200)
    waves = psf.wavelength(fibers, rows)
    for fiber, on_trace in zip(fibers, waves, strict=True):
        known = np.isfinite(on_trace)
        axes.plot(psf.x(fiber, on_trace[known]), rows[known], lw=0.6, color="tab:red")
    if wave is not None:
        values = np.atleast_1d(np.asarray(wave, dtype=np.float64))
        axes.plot(psf.x(fibers, values).T, psf.y(fibers, values).T, "+", ms=4, color="tab:blue")
    axes.set_xlim(-0.5, psf.npix_x - 0.5)
    axes.set_ylim(-0.5, psf.npix_y - 0.5)
    axes.set_xlabel("column x (pixel)")
    axes.set_ylabel("row y (pixel)")
    axes.set_title(psf.camera)
    return axes
