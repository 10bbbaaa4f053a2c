"""The README's picture: a patch of the CCD beside the spectra extracted from it."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from spexreports import style
from spexreports.files import Ccd, Frame, Traces
from spexreports.patch_figure import brightest_wave, window_around


def readme_figure(ccd: Ccd, traces: Traces, frame: Frame, nspec: int = 10) -> Figure:
    """Left the CCD turned so that wavelength runs right; right a spectrum for each trace."""
    spectra = np.arange(min(nspec, len(frame.fiber)))
    indices = frame.index[spectra]
    centre = brightest_wave(frame)
    window = window_around(ccd, traces, indices, centre, rows=150)
    patch = np.where(ccd.good, ccd.image, np.nan)[window.slices].T
    norm = style.electron_norm(float(np.nanpercentile(patch, 99.5)))

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.6), layout="constrained")
    cmap = plt.get_cmap("cividis").with_extremes(bad="#B0B0B0")
    x0, x1, y0, y1 = window.extent
    shown = left.imshow(
        patch,
        cmap=cmap,
        norm=norm,
        extent=(y0, y1, x0, x1),
        aspect="auto",
    )
    left.set_xlabel("row of the CCD (pixel)")
    left.set_ylabel("column of the CCD (pixel)")
    left.set_title("the CCD: light of many fibers, blurred and overlapping", loc="left")
    bar = figure.colorbar(shown, ax=left, label="electron per pixel; grey: masked", pad=0.02)
    style.set_electron_ticks(bar, norm)

    # The wavelengths whose light falls on the rows shown.
    rows = traces.row(indices[len(indices) // 2], frame.wave)
    chosen = (rows >= window.y0) & (rows < window.y1)
    flux = np.where(frame.good, frame.flux, np.nan)[spectra][:, chosen]
    scale = float(np.nanpercentile(flux, 97))
    for k in range(len(spectra)):
        colour = style.CYCLE[k % len(style.CYCLE)]
        height = k + np.clip(flux[k] / scale, -0.3, 2.2)
        wave = frame.wave[chosen]
        right.fill_between(wave, k, height, step="mid", color=colour, alpha=0.25, lw=0)
        right.step(wave, height, where="mid", color=colour, lw=0.9)
    right.set_yticks(range(len(spectra)), [str(f) for f in frame.fiber[spectra]])
    right.set_ylabel("fiber")
    right.set_xlabel(style.WAVE_LABEL)
    right.set_xlim(frame.wave[chosen][0], frame.wave[chosen][-1])
    right.set_title("the spectra extracted from it", loc="left")
    return figure
