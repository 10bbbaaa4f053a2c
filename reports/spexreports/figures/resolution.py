"""The resolution that the extraction reports: line shapes and widths."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.frames import Frame


def resolution_row(resolution: np.ndarray, j: int) -> np.ndarray:
    """Row j of R at offsets −ndiag … ndiag: the fractions of neighboring bins' light in bin j.

    `resolution[d, k]` is R[k − ndiag + d, k]; entries off the grid are 0.
    """
    ndiagonals, nwave = resolution.shape
    k = j + np.arange(ndiagonals) - ndiagonals // 2
    inside = (k >= 0) & (k < nwave)
    row = np.zeros(ndiagonals)
    row[inside] = resolution[::-1][inside, k[inside]]
    return row


def _half_width(side: np.ndarray) -> float:
    """Distance from side[0], the peak, to half of it, in samples; NaN if it is not reached.

    Between samples the square of the distance is interpolated linearly in the logarithm of the
    value, which is exact for a Gaussian, or in the value if that is not positive.
    """
    below = np.flatnonzero(side <= side[0] / 2)
    if below.size == 0:
        return np.nan
    b = int(below[0])
    a = b - 1
    if side[b] <= 0:
        return a + (side[a] - side[0] / 2) / (side[a] - side[b])
    log_a, log_b = np.log(side[0] / side[a]), np.log(side[0] / side[b])
    return float(np.sqrt(a**2 + (np.log(2) - log_a) / (log_b - log_a) * (b**2 - a**2)))


def full_width(row: np.ndarray, step: float) -> float:
    """Full width at half maximum of a sampled line, in the unit of `step`; NaN without one."""
    peak = int(np.argmax(row))
    if not row[peak] > 0:
        return np.nan
    return (_half_width(row[peak:]) + _half_width(row[peak::-1])) * step


def widths(frame: Frame, s: int) -> np.ndarray:
    """Full widths (Å) of spectrum s at all wavelengths; NaN near the ends and in masked bins."""
    step = frame.step
    out = np.full(len(frame.wave), np.nan)
    for j in range(frame.ndiag, len(frame.wave) - frame.ndiag):
        if frame.good[s, j]:
            out[j] = full_width(resolution_row(frame.resolution[s], j), step)
    return out


def running_median(values: np.ndarray, half: int = 12) -> np.ndarray:
    """Median over 2 half + 1 neighbors without NaN; NaN if all are NaN."""
    series = pd.Series(values)
    median = series.rolling(2 * half + 1, center=True, min_periods=1).median()
    return median.where(series.notna()).to_numpy()


def resolution_figure(frame: Frame, title: str) -> Figure:
    """Rows of R at three wavelengths (top), and widths along spectra of some fibers (bottom)."""
    # Some frames have R only of their first fibers.
    nspec, nwave = min(len(frame.flux), len(frame.resolution)), frame.flux.shape[1]
    middle = nspec // 2
    step = frame.step
    offsets = np.arange(-frame.ndiag, frame.ndiag + 1) * step
    figure, axes = style.figure(6.0, nrows=2)
    lines, along = axes[:, 0]

    raised = 0.25  # offset between lines, which are nearly equal
    usable = np.flatnonzero(frame.good[middle])
    nearest = [
        int(usable[np.argmin(np.abs(usable - place * nwave))])
        for place in (0.1, 0.5, 0.9)
        if usable.size > 0
    ]
    for k, j in enumerate(dict.fromkeys(nearest)):
        row = resolution_row(frame.resolution[middle], j)
        lines.axhline(raised * k, color=style.GRAY, lw=0.6)
        (drawn,) = lines.plot(offsets, row + raised * k, marker="o", ms=4, lw=1.2)
        lines.annotate(
            f"{frame.wave[j]:.0f} Å",
            (offsets[-1], raised * k),
            xytext=(0, 5),
            textcoords="offset points",
            ha="right",
            color=drawn.get_color(),
        )
    lines.set_xlabel("offset in wavelength (Å)")
    lines.set_ylabel(f"row of R, raised by {raised:g}")
    lines.set_title(f"line shape, fiber {frame.fiber[middle]}")

    chosen = np.unique(np.linspace(0, nspec - 1, 5).astype(int))
    dashes = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)))
    for s, dash in zip(chosen, dashes, strict=False):
        width = running_median(widths(frame, s))
        along.plot(frame.wave, width, ls=dash, lw=1.3, rasterized=True, label=f"{frame.fiber[s]}")
    along.set_xlabel(style.WAVE_LABEL)
    along.set_ylabel("full width, half max. (Å)")
    along.set_title("line width, running median of 25 bins")
    along.margins(x=0.02, y=0.45)
    along.legend(title="fiber", ncols=5, loc="upper center", columnspacing=0.7, handlelength=1.4)
    style.set_title(figure, title)
    return figure
