"""The README's picture: a patch of the CCD beside the spectra extracted from it."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from spexreports import style
from spexreports.files import Ccd, Frame, Traces
from spexreports.patch_figure import window_around


def choose_fibers(frame: Frame, count: int) -> np.ndarray:
    """`count` neighbouring spectra, the brightest of all among them."""
    level = [
        np.median(f[g]) if g.any() else -np.inf for f, g in zip(frame.flux, frame.good, strict=True)
    ]
    first = np.clip(int(np.argmax(level)) - 2 * count // 3, 0, max(len(level) - count, 0))
    return np.arange(first, min(first + count, len(level)))


def richest_wave(frame: Frame, nbins: int = 100) -> float:
    """Wavelength (Å) in the middle of the `nbins` bins with the most lines of all fibers."""
    typical = np.median(np.where(frame.good, frame.flux, 0), axis=0)
    nbins = min(nbins, len(typical))
    # Counted logarithmically: many lines, rather than one that is very high.
    lines = np.log(np.maximum(typical / np.median(typical[typical > 0]), 1))
    sums = np.convolve(lines, np.ones(nbins), mode="valid")
    return float(frame.wave[int(np.argmax(sums)) + nbins // 2])


def readme_figure(ccd: Ccd, traces: Traces, frame: Frame, nspec: int = 12) -> Figure:
    """Left the CCD turned so that wavelength runs right; right a spectrum beside each trace."""
    spectra = choose_fibers(frame, nspec)
    indices = frame.index[spectra]
    centre = richest_wave(frame)
    window = window_around(ccd, traces, indices, centre, rows=150)
    patch = np.where(ccd.good, ccd.image, np.nan)[window.slices].T
    norm = style.electron_norm(float(np.nanmax(patch)))

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9.5, 4.6), sharey=True, layout="constrained"
    )
    cmap = plt.get_cmap("cividis").with_extremes(bad="#B0B0B0")
    x0, x1, y0, y1 = window.extent
    shown = left.imshow(patch, cmap=cmap, norm=norm, extent=(y0, y1, x0, x1), aspect="auto")
    left.set_xlabel("row of the CCD (pixel)")
    left.set_ylabel("column of the CCD (pixel)")
    left.set_title("the CCD: light of many fibers, blurred and noisy")
    bar = figure.colorbar(
        shown, ax=left, location="bottom", aspect=40, label="electron per pixel; grey: masked"
    )
    style.set_electron_ticks(bar, norm)

    # The wavelengths whose light falls on the rows shown.
    rows = traces.row(indices[len(indices) // 2], frame.wave)
    chosen = (rows >= window.y0) & (rows < window.y1)
    wave = frame.wave[chosen]
    columns = np.array([float(traces.column(fiber, centre)) for fiber in indices])
    room = 0.9 * float(np.median(np.diff(columns))) if len(columns) > 1 else 5.0
    kinds = {"SKY": (style.VERMILION, "sky"), "": (style.BLUE, "star or galaxy, over the sky")}
    for s, column in zip(spectra, columns, strict=True):
        flux = np.where(frame.good[s], frame.flux[s], np.nan)[chosen]
        top = float(np.nanmax(flux)) if np.isfinite(flux).any() else 1.0
        colour, name = kinds["SKY" if frame.objtype[s] == "SKY" else ""]
        height = column + room * flux / max(top, 1e-30)
        right.fill_between(wave, column, height, step="mid", color=colour, alpha=0.2, lw=0)
        right.step(wave, height, where="mid", color=colour, lw=0.8, label=name)
        right.annotate(
            f"{frame.fiber[s]}",
            (wave[-1], column),
            xytext=(4, 0),
            textcoords="offset points",
            color=colour,
            fontsize=8,
        )
    handles, labels = right.get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    right.legend(
        once.values(), once.keys(), loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2
    )
    right.set_ylim(x0, x1 + 2)
    right.set_xlim(wave[0], wave[-1])
    right.set_xlabel(style.WAVE_LABEL)
    right.tick_params(axis="y", left=False, labelleft=False)
    right.spines["left"].set_visible(False)
    right.set_title("the spectra extracted from it, by fiber")
    return figure
