"""Figures of any extracted frame, without a truth: errors, and image − model."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.frames import Ccd, Frame

PIXELS = {"rasterized": True}


def ivar_figure(frame: Frame, title: str) -> Figure:
    """The noise per bin over wavelength, median over the middle half of the fibers; lost bins."""
    good = frame.good
    sigma = np.where(good, 1 / np.sqrt(np.where(good, frame.ivar, 1)), np.nan)
    some = good.any(axis=0)
    quarter = np.full((3, len(frame.wave)), np.nan)
    if some.any():
        quarter[:, some] = np.nanpercentile(sigma[:, some], [25, 50, 75], axis=0)
    drawn, axes = style.figure(4.4, nrows=2, sharex=True, height_ratios=[2, 1])
    noise, lost = axes[:, 0]
    low, middle, high = quarter
    noise.fill_between(frame.wave, low, high, color=style.SKY, alpha=0.6, lw=0, **PIXELS)
    point = style.point(len(frame.wave))
    noise.plot(frame.wave, middle, color=style.BLUE, lw=0.8, **point, **PIXELS)
    noise.set_yscale("log")
    noise.set_ylabel("σ = 1/√ivar (electron / Å)")
    noise.set_title("noise of a bin, middle half of the fibers")
    style.log_ticks(noise.yaxis)
    lost.plot(
        frame.wave, 100 * (1 - good.mean(axis=0)), color=style.VERMILION, lw=0.8, **point, **PIXELS
    )
    lost.set_ylabel("fibers (%)")
    lost.set_title("bins that are masked or have ivar 0")
    lost.set_ylim(-4, 104)
    lost.set_xlabel(style.WAVE_LABEL)
    style.set_title(drawn, title)
    return drawn


def residuals(ccd: Ccd, model: np.ndarray) -> np.ndarray:
    """(image − model) / σ of modeled pixels with weight; NaN elsewhere."""
    good = ccd.good & (model != 0)
    pull = (np.where(good, ccd.image, 0) - model) * np.sqrt(np.where(good, ccd.ivar, 0))
    return np.where(good, pull, np.nan)


def blocks(values: np.ndarray, size: int) -> np.ndarray:
    """Root mean square over blocks of `size` by `size` pixels; NaN for blocks without pixels."""
    rows, columns = (n // size for n in values.shape)
    cut = values[: rows * size, : columns * size].reshape(rows, size, columns, size)
    known = np.isfinite(cut)
    count = known.sum(axis=(1, 3))
    total = np.where(known, cut, 0) ** 2
    return np.sqrt(np.where(count > 0, total.sum(axis=(1, 3)) / np.maximum(count, 1), np.nan))


def residual_figure(ccd: Ccd, model: np.ndarray, title: str) -> Figure:
    """A map of the residuals, and their histogram."""
    pull = residuals(ccd, model)
    chosen = pull[np.isfinite(pull)]
    if chosen.size == 0:
        raise ValueError("the image has no pixel that carries weight and is modeled")
    drawn, axes = style.figure(7.0, nrows=2, height_ratios=[2, 1])
    image, counts = axes[:, 0]
    # The modeled part of the CCD.
    rows, columns = (np.flatnonzero(np.isfinite(pull).any(axis=axis)) for axis in (1, 0))
    y, x = int(rows[0]), int(columns[0])
    pull = pull[y : rows[-1] + 1, x : columns[-1] + 1]
    ny, nx = pull.shape
    size = min(max(min(ny, nx) // 16, 4), 32, ny, nx)
    cmap = plt.get_cmap("cividis").with_extremes(bad="#B0B0B0")
    extent = (x, x + nx // size * size, y, y + ny // size * size)
    shown = image.imshow(
        blocks(pull, size), vmin=0, vmax=2, cmap=cmap, extent=extent, aspect="auto"
    )
    image.set_xlabel("column (pixel)")
    image.set_ylabel("row (pixel)")
    image.set_title(f"rms in blocks of {size} × {size} pixels")
    drawn.colorbar(shown, ax=image, extend="max", label="rms; 1: as noisy as ivar says")
    edges = np.arange(-8, 8.01, 0.25)
    count, _ = np.histogram(np.clip(chosen, -7.99, 7.99), edges)
    density = count / chosen.size / np.diff(edges)
    centers = (edges[1:] + edges[:-1]) / 2
    counts.stairs(density, edges, fill=True, color=style.SKY, label="pixels")
    normal = np.exp(-0.5 * centers**2) / np.sqrt(2 * np.pi)
    counts.plot(centers, normal, color=style.VERMILION, lw=1.5, label="unit normal")
    counts.set_yscale("log")
    counts.set_ylim(0.3 / chosen.size, 2)
    counts.set_xlabel("(image − model) / σ (the end bins hold what is beyond)")
    counts.set_ylabel("density")
    counts.legend(loc="upper right")
    style.set_title(drawn, title)
    return drawn
