"""Extracted spectra over the truth that was simulated."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from spexreports import style
from spexreports.files import Frame
from spexreports.patch_figure import brightest_wave


def choose_spectra(frame: Frame) -> list[tuple[int, str]]:
    """A sky fiber, a faint target and the brightest spectrum: indices and what they are."""
    level = np.full(len(frame.flux), -np.inf)
    for s, (flux, good) in enumerate(zip(frame.flux, frame.good, strict=True)):
        if good.any():
            level[s] = np.median(flux[good])
    order = np.argsort(level, kind="stable")
    sky = [s for s in order if frame.objtype[s] == "SKY"]
    others = [s for s in order if frame.objtype[s] != "SKY"]
    chosen = []
    if sky:
        chosen.append((int(sky[len(sky) // 2]), "sky"))
    if len(others) > 1:
        chosen.append((int(others[len(others) // 2]), "target"))
    if others:
        chosen.append((int(others[-1]), "brightest"))
    return chosen


def _draw(axis: Axes, frame: Frame, s: int, expected: np.ndarray, chosen: np.ndarray) -> None:
    """Bins near the ends have no expected flux: light of bins outside the grid reaches them."""
    wave = frame.wave[chosen]
    known = expected[s].astype(float)
    known[: frame.ndiag] = known[len(known) - frame.ndiag :] = np.nan
    good = frame.good[s][chosen]
    flux = np.where(good, frame.flux[s][chosen], np.nan)
    error = 1 / np.sqrt(np.where(good, frame.ivar[s][chosen], np.nan))
    axis.fill_between(
        wave, flux - error, flux + error, step="mid", color=style.SKY, alpha=0.5, lw=0, label="±1σ"
    )
    axis.plot(wave, known[chosen], color=style.ORANGE, lw=2.2, label="truth, at the resolution R")
    axis.step(wave, flux, where="mid", color=style.BLUE, lw=0.7, label="extracted")
    axis.set_xlim(wave[0], wave[-1])
    axis.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def spectra_figure(frame: Frame, expected: np.ndarray, title: str, zoom: float = 20) -> Figure:
    """Three fibers over the whole grid (left), and `zoom` Å about the brightest line (right)."""
    spectra = choose_spectra(frame)
    centre = brightest_wave(frame)
    near = np.abs(frame.wave - centre) < zoom
    every = np.ones(len(frame.wave), bool)
    figure, axes = plt.subplots(
        len(spectra),
        2,
        figsize=(9.5, 2.4 * len(spectra) + 0.6),
        squeeze=False,
        layout="constrained",
        gridspec_kw={"width_ratios": [2, 1]},
    )
    for (s, kind), (wide, narrow) in zip(spectra, axes, strict=True):
        _draw(wide, frame, s, expected, every)
        _draw(narrow, frame, s, expected, near)
        wide.set_title(f"fiber {frame.fiber[s]}, {kind}")
        narrow.set_title(f"the same, near {centre:.0f} Å")
        wide.set_ylabel(style.FLUX_LABEL)
        # A few very high lines must not hide the rest.
        top = np.nanpercentile(expected[s], 99.7)
        wide.set_ylim(min(-0.05 * top, 0), 1.25 * top)
        # Nor must a line hide the continuum beside it.
        shown = expected[s][near]
        if shown.max() > 8 * np.median(shown) > 0:
            narrow.set_yscale("log")
            narrow.set_ylim(0.5 * np.median(shown), 1.6 * shown.max())
            narrow.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    for axis in axes[-1]:
        axis.set_xlabel(style.WAVE_LABEL)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    style.set_title(figure, title)
    return figure
