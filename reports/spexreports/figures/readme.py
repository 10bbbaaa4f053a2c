"""The README's picture: a patch of the CCD and the spectra extracted from it."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.figures.patch import window_around
from spexreports.results.frames import Ccd, Frame, Traces


def choose_fibers(frame: Frame, count: int) -> np.ndarray:
    """`count` neighboring spectra that include the brightest one."""
    level = [
        np.median(f[g]) if g.any() else -np.inf for f, g in zip(frame.flux, frame.good, strict=True)
    ]
    first = np.clip(int(np.argmax(level)) - 2 * count // 3, 0, max(len(level) - count, 0))
    return np.arange(first, min(first + count, len(level)))


def richest_wave(frame: Frame, nbins: int = 100) -> float:
    """Wavelength (Å) at the middle of the `nbins` bins with the most lines of all fibers."""
    typical = np.median(np.where(frame.good, frame.flux, 0), axis=0)
    nbins = min(nbins, len(typical))
    # On a logarithmic scale, to prefer many lines to a single very high one.
    lines = np.log(np.maximum(typical / np.median(typical[typical > 0]), 1))
    sums = np.convolve(lines, np.ones(nbins), mode="valid")
    return float(frame.wave[int(np.argmax(sums)) + nbins // 2])


def readme_figure(ccd: Ccd, traces: Traces, frame: Frame, nspec: int = 12) -> Figure:
    """Left: the CCD with wavelength to the right; right: a spectrum next to each trace."""
    spectra = choose_fibers(frame, nspec)
    indices = frame.index[spectra]
    center = richest_wave(frame)
    window = window_around(ccd, traces, indices, center, rows=150)
    patch = np.where(ccd.good, ccd.image, np.nan)[window.slices].T
    norm = style.electron_norm(float(np.nanmax(patch)))

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9.5, 4.8), sharey=True, layout="constrained"
    )
    cmap = plt.get_cmap("cividis").with_extremes(bad="#B0B0B0")
    x0, x1, y0, y1 = window.extent
    shown = left.imshow(patch, cmap=cmap, norm=norm, extent=(y0, y1, x0, x1), aspect="auto")
    left.set_xlabel("row of the CCD (pixel)")
    left.set_ylabel("column of the CCD (pixel)")
    left.set_title("the CCD: light of many fibers, blurred and noisy")
    bar = figure.colorbar(
        shown,
        ax=(left, right),
        location="bottom",
        aspect=60,
        shrink=0.6,
        label="electron per pixel; gray: masked",
    )
    style.set_electron_ticks(bar, norm)

    # The wavelengths of the rows shown.
    rows = traces.row(indices[len(indices) // 2], frame.wave)
    chosen = (rows >= window.y0) & (rows < window.y1)
    wave = frame.wave[chosen]
    columns = np.array([float(traces.column(fiber, center)) for fiber in indices])
    room = float(np.median(np.diff(columns))) if len(columns) > 1 else 5.0
    for s, column in zip(spectra, columns, strict=True):
        flux = np.where(frame.good[s], frame.flux[s], np.nan)[chosen]
        if not np.isfinite(flux).any() or not np.nanmax(flux) > 0:
            continue
        shape = flux / np.nanmax(flux)
        # Lines may overlap the next fiber's space, but continua may not.
        height = column + room * shape * (0.85 if np.nanmedian(shape) > 0.5 else 1.6)
        sky = frame.objtype[s] == "SKY"
        color = style.VERMILION if sky else style.BLUE
        behind = 2 + (x1 - column) / (x1 - x0)  # lower fibers in front of higher ones
        drawing = {"zorder": behind, "rasterized": True}
        filling = {"step": "mid", "lw": 0} | drawing
        right.fill_between(wave, column, height, color="white", **filling)
        right.fill_between(wave, column, height, color=color, alpha=0.25, **filling)
        line = {"color": color, "lw": 0.9} | style.point(len(wave))
        right.step(wave, height, where="mid", **line, **drawing)
        right.annotate(
            f"{frame.fiber[s]} sky" if sky else f"{frame.fiber[s]}",
            (wave[-1], column),
            xytext=(4, 0),
            textcoords="offset points",
            color=color,
            fontsize=9,
        )
    right.set_ylim(x0, x1 + room / 2)
    left.spines["left"].set_bounds(x0, x1)
    right.set_xlim(*style.ends(wave, frame.step))
    right.set_xlabel(style.WAVE_LABEL)
    right.tick_params(axis="y", left=False, labelleft=False)
    right.spines["left"].set_visible(False)
    right.set_title("the spectrum of each fiber, extracted from it")
    return figure
