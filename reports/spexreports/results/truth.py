"""Compares extracted spectra with the simulated truth.

The expected flux of an extraction is R · truth, with R the resolution in the frame itself. Then
(flux − R · truth) · sqrt(ivar) must be a unit normal. The code follows docs/extraction.md, sections
5 and 7, independently of spex-compare, so that each checks the other.
"""

from dataclasses import dataclass

import numpy as np

from spexreports.results.frames import Frame, Truth


def apply_resolution(resolution: np.ndarray, flux: np.ndarray) -> np.ndarray:
    """R · flux of one spectrum; `resolution[d, j]` is R[j − ndiag + d, j]."""
    ndiagonals, nwave = resolution.shape
    ndiag = ndiagonals // 2
    out = np.zeros(nwave + 2 * ndiag)
    for d in range(ndiagonals):
        out[d : d + nwave] += resolution[d] * flux
    return out[ndiag : ndiag + nwave]


def truth_on_grid(frame: Frame, truth: Truth) -> np.ndarray:
    """The truth of the frame's fibers at its wavelengths; the grids may differ by whole bins."""
    step = frame.step
    first = round((frame.wave[0] - truth.wave[0]) / step)
    last = first + len(frame.wave)
    inside = first >= 0 and last <= len(truth.wave)
    if not inside or np.abs(truth.wave[first:last] - frame.wave).max() > 1e-6 * step:
        raise ValueError(
            "the truth is not on the frame's wavelengths (simulate it with --on-grid on the grid "
            "of the extraction)"
        )
    return truth.flux[frame.index, first:last]


def expected_flux(frame: Frame, truth: Truth) -> np.ndarray:
    """The expected extracted flux, `[spectrum, wavelength]`, electron / Angstrom."""
    on_grid = truth_on_grid(frame, truth)
    return np.array(
        [apply_resolution(R, f) for R, f in zip(frame.resolution, on_grid, strict=True)]
    )


@dataclass
class Pulls:
    """Pulls of all good bins, with statistics that should be 0, 1, 1, 0."""

    pull: np.ndarray
    mean: float
    std: float
    half_width: float  # half of the central 68.27%
    correlation: float  # of neighboring wavelengths


def pulls(frame: Frame, expected: np.ndarray) -> Pulls:
    """Pulls of the good bins that are at least ndiag bins from the ends of the grid.

    Near the ends the expected flux is unknown, because it includes light of bins outside the grid,
    whose resolution the frame does not have.
    """
    pull = (frame.flux - expected) * np.sqrt(np.maximum(frame.ivar, 0))
    good = frame.good.copy()
    good[:, : frame.ndiag] = False
    good[:, len(frame.wave) - frame.ndiag :] = False
    pair = good[:, 1:] & good[:, :-1]
    chosen = pull[good]
    if chosen.size < 2 or pair.sum() < 2:
        raise ValueError("the frame has no unmasked bins to compare with the truth")
    low, high = np.percentile(chosen, [15.865, 84.135])
    return Pulls(
        pull=chosen,
        mean=float(chosen.mean()),
        std=float(chosen.std()),
        half_width=float(high - low) / 2,
        correlation=float(np.corrcoef(pull[:, 1:][pair], pull[:, :-1][pair])[0, 1]),
    )
