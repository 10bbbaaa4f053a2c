"""Sky residuals at the edges of patches, by --flux patch and frame (extraction.md, section 5.2).

desispec makes fiber flat and sky of frames of either kind, as it does where DESI would see a seam.
"""

import subprocess
from pathlib import Path

import chain
import numpy as np
from desispec.io import read_frame, read_sky
from night import FLAT, SKY, Job, Night
from table import Findings

STEP = 50  # bins of a patch
INSIDE = 12  # bins from the nearest edge, at least
LINES = 0.1  # of all bins, those where the sky is brightest


def _by_frame_flux(night: Night, camera: str, spex_cpu: Path, out: Path) -> Path:
    """The sky exposure of --flux frame after desispec's fiber flat and sky subtraction."""
    frames: dict[Job, Path] = {}
    for job in ((camera, FLAT), (camera, SKY)):
        frames[job] = out / f"frame-{camera}-{job[1]}.fits"
        command = [spex_cpu, "-i", night.file("preproc", *job), "-p", night.file("psf", *job)]
        command += ["-o", frames[job], "--method", "cholesky", "--flux", "frame"]
        subprocess.run([*command, "--psferr-by-arm", "--loglevel", "warn"], check=True)
    flat = chain.make_flat(frames[camera, FLAT], out)
    return chain.subtract_sky(frames[camera, SKY], flat, out)[1]


def run(findings: Findings, night: Night, spex_cpu: Path, steps: Path, out: Path) -> None:
    """Residuals of sky fibers at sky lines, by distance from the edges of patches."""
    out.mkdir(exist_ok=True)
    camera = night.cameras[-1]
    patch = read_frame(str(steps / f"sframe-{camera}-{SKY}.fits"))
    frame = read_frame(str(_by_frame_flux(night, camera, spex_cpu, out)))
    w = np.arange(len(patch.wave))
    distance = np.minimum(w % STEP, STEP - 1 - w % STEP)
    # The ends of the grid are no edges between patches.
    between = (w >= STEP) & (w < (len(w) - 1) // STEP * STEP)
    light = read_sky(str(steps / f"sky-{camera}-{SKY}.fits")).flux.mean(axis=0)
    line = between & (light >= np.quantile(light, 1 - LINES))
    good = np.logical_and.reduce([(f.ivar > 0) & (f.mask == 0) for f in (patch, frame)])
    pull = np.array([f.flux * np.sqrt(f.ivar) for f in (patch, frame)])
    edge, inside = good & line & (distance == 0), good & line & (distance >= INSIDE)
    findings.at_least("sky lines: bins of sky fibers at edges", camera, edge.sum(), 100)
    for bins, where, most in ((edge, "at edges", 0.05), (inside, "12 bins from edges", 0.01)):
        apart = np.sqrt(np.mean((pull[0] - pull[1])[bins] ** 2))
        findings.at_most(f"sky lines {where}: patch - frame, rms, sigma", camera, apart, most)
    for k, flux in enumerate(("patch", "frame")):
        square = pull[k][edge] ** 2
        error = square.std() / np.sqrt(len(square))
        within = np.mean(pull[k][inside] ** 2)
        what = f"sky lines at edges, --flux {flux}: mean squared residual; 4 errors about inside"
        findings.within(what, camera, square.mean(), within - 4 * error, within + 4 * error)
