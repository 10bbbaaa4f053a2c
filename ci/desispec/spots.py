"""The PSF files of a night, read by specter and by gpu_specter: the same spots."""

import gpu_specter.io
import numpy as np
from gpu_specter.extract.cpu import get_spots
from night import NFIBER, SCIENCE, Night
from specter.psf import load_psf
from table import Findings

EVERY = 97  # bins, of those that are looked at


def run(findings: Findings, night: Night) -> None:
    """The largest difference of a pixel as a part of its spot's brightest pixel."""
    for camera in night.cameras:
        path, wave = str(night.file("psf", camera, SCIENCE)), night.wave[camera][::EVERY]
        spots, (xc, yc), _ = get_spots(0, NFIBER, wave, gpu_specter.io.read_psf(path))
        psf = load_psf(path)
        worst = 0.0
        for s, w in np.ndindex(spots.shape[:2]):
            xs, ys, theirs = psf.xypix(s, wave[w])
            spot = spots[s, w]
            same = (ys.start, xs.start, theirs.shape) == (yc[s, w], xc[s, w], spot.shape)
            worst = max(worst, np.max(np.abs(theirs - spot)) / spot.max() if same else np.inf)
        what = "specter.load_psf of the PSF: spots against gpu_specter's, relative"
        findings.at_most(what, camera, worst, 1e-6)
