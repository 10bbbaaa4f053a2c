"""The PSF files of a night, read by specter and by gpu_specter: the same spots."""

import gpu_specter.io
import numpy as np
from gpu_specter.extract.cpu import get_spots
from night import NFIBER, Night, grid
from specter.psf import load_psf
from table import Findings

EVERY = 97  # bins, of those that are looked at


def difference(path: str, wave: np.ndarray) -> float:
    """The largest difference of a pixel in a part of its spot's brightest pixel."""
    spots, (xc, yc), _ = get_spots(0, NFIBER, wave, gpu_specter.io.read_psf(path))
    psf = load_psf(path)
    worst = 0.0
    for s, w in np.ndindex(spots.shape[:2]):
        xs, ys, theirs = psf.xypix(s, wave[w])
        spot = spots[s, w]
        if (ys.start, xs.start) != (yc[s, w], xc[s, w]) or theirs.shape != spot.shape:
            return np.inf
        worst = max(worst, np.max(np.abs(theirs - spot)) / spot.max())
    return worst


def run(findings: Findings, night: Night) -> None:
    """A row: all cameras."""
    for camera in night.cameras:
        path = str(night.psf(camera, night.exposures[-1].expid))
        worst = difference(path, grid(camera)[::EVERY])
        what = "specter.load_psf of the PSF: spots against gpu_specter's, relative"
        findings.at_most(what, camera, worst, 1e-6)
