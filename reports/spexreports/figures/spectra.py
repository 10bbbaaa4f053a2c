"""Extracted spectra with the simulated truth."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.figures.patch import brightest_wave
from spexreports.results.frames import Frame


def choose_spectra(frame: Frame) -> list[tuple[int, str]]:
    """A sky fiber, a faint target and the brightest spectrum: indices and descriptions."""
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
        kind = "target" if frame.objtype[others[0]] else "median flux"
        chosen.append((int(others[len(others) // 2]), kind))
    if others:
        chosen.append((int(others[-1]), "brightest"))
    return chosen


def _draw(
    axis: Axes, frame: Frame, s: int, expected: np.ndarray | None, chosen: np.ndarray
) -> None:
    """Bins near the ends have no expected flux, because it includes light from outside the grid."""
    wave = frame.wave[chosen]
    good = frame.good[s][chosen]
    flux = np.where(good, frame.flux[s][chosen], np.nan)
    error = 1 / np.sqrt(np.where(good, frame.ivar[s][chosen], np.nan))
    low, high = flux - error, flux + error
    # Rasterize: thousands of bins would make a large SVG.
    drawing = {"rasterized": True}
    point = style.point(len(wave))
    if point:  # a band of one bin has no width
        axis.errorbar(wave, flux, error, color=style.SKY, lw=2, label="±1σ")
        axis.set_xticks(wave, [f"{wave[0]:.1f}"])
    else:
        band = {"step": "mid", "color": style.SKY, "alpha": 0.5, "lw": 0, "label": "±1σ"}
        axis.fill_between(wave, low, high, **band, **drawing)
    if expected is not None:
        known = expected[s].astype(float)
        known[: frame.ndiag] = known[len(known) - frame.ndiag :] = np.nan
        label = "truth, at the resolution R"
        axis.plot(wave, known[chosen], color=style.ORANGE, lw=2.2, label=label, **point, **drawing)
    line = {"color": style.BLUE, "lw": 0.7, "label": "extracted"} | point
    axis.step(wave, flux, where="mid", **line, **drawing)
    axis.set_xlim(*style.ends(wave, frame.step))
    style.thousands(axis.yaxis)


def spectra_figure(
    frame: Frame, title: str, expected: np.ndarray | None = None, zoom: float | None = None
) -> Figure:
    """Up to three fibers over the whole grid, or within `zoom` Å of the brightest line.

    Draws the truth, `expected`, if there is one.
    """
    spectra = choose_spectra(frame)
    center = brightest_wave(frame)
    chosen = np.ones(len(frame.wave), bool) if zoom is None else np.abs(frame.wave - center) < zoom
    drawn, axes = style.figure(1.0 + 1.3 * max(len(spectra), 1), nrows=max(len(spectra), 1))
    for (s, kind), axis in zip(spectra, axes[:, 0], strict=False):
        _draw(axis, frame, s, expected, chosen)
        axis.set_title(f"fiber {frame.fiber[s]}, {kind}")
        shown = np.where(frame.good[s], frame.flux[s], np.nan) if expected is None else expected[s]
        shown = shown[chosen]
        if not np.isfinite(shown).any():
            continue
        middle, highest = np.nanmedian(shown), np.nanmax(shown)
        if zoom is None:
            # A few very high lines must not determine the scale.
            top = np.nanpercentile(shown, 99.7)
            axis.set_ylim(min(-0.05 * top, 0), max(1.25 * top, 1))
        elif highest > 8 * middle > 0:
            # A line must not hide the continuum either.
            axis.set_yscale("log")
            axis.set_ylim(0.5 * middle, 1.6 * highest)
            style.log_ticks(axis.yaxis)
    axes[-1, 0].set_xlabel(style.WAVE_LABEL)
    drawn.supylabel(style.FLUX_LABEL, fontsize=style.FONT)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower left", ncols=3, handlelength=1.6)
    style.set_title(drawn, title)
    return drawn
