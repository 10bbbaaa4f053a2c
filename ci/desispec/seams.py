"""Sky residuals at the edges of patches, by --flux patch and frame (extraction.md, section 5.2).

desispec makes fiber flat and sky of frames of either kind, as it does where DESI would see a seam.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
from desispec.frame import Frame
from desispec.io import read_frame, read_sky
from desispec.scripts import fiberflat, procexp, sky
from night import Night
from table import Findings

STEP = 50  # bins of a patch
INSIDE = 12  # bins from the nearest edge, at least
LINES = 0.1  # of all bins, those where the sky is brightest


def _extract(night: Night, camera: str, expid: int, flux: str, spex_cpu: Path, out: Path) -> Path:
    frame = out / f"frame-{flux}-{camera}-{expid:08d}.fits"
    files = ["-i", night.preproc(camera, expid), "-p", night.psf(camera, expid), "-o", frame]
    options = ["--method", "cholesky", "--nwavestep", str(STEP), "--flux", flux]
    command = [spex_cpu, *files, *options, "--loglevel", "warn"]
    if status := subprocess.run(command).returncode:
        sys.exit(f"desispec-check: {spex_cpu.name} ended with {status}")
    return frame


def _without_sky(
    night: Night, camera: str, flux: str, spex_cpu: Path, out: Path
) -> tuple[Frame, np.ndarray]:
    """The sky exposure after desispec's fiber flat and sky subtraction, and its sky."""
    [flat], [expid] = night.of("flat"), night.of("sky")
    files = {name: str(out / f"{name}-{flux}-{camera}.fits") for name in ("flat", "sky", "sframe")}
    frames = [_extract(night, camera, e, flux, spex_cpu, out) for e in (flat, expid)]
    fiberflat.main(["-i", str(frames[0]), "-o", files["flat"]])
    steps = ["-i", str(frames[1]), "--fiberflat", files["flat"]]
    sky.main([*steps, "-o", files["sky"]])
    steps += ["--sky", files["sky"], "--no-tsnr", "--no-xtalk", "-o", files["sframe"]]
    procexp.main(procexp.parse(steps))
    return read_frame(files["sframe"]), read_sky(files["sky"]).flux


def run(findings: Findings, night: Night, camera: str, spex_cpu: Path, out: Path) -> None:
    """Residuals of sky fibers at sky lines, by distance from the edges of patches."""
    out.mkdir(exist_ok=True)
    both = [_without_sky(night, camera, flux, spex_cpu, out) for flux in ("patch", "frame")]
    (patch, level), (frame, _) = both
    w = np.arange(len(patch.wave))
    distance = np.minimum(w % STEP, STEP - 1 - w % STEP)
    # The ends of the grid are no edges between patches.
    between = (w >= STEP) & (w < (len(w) - 1) // STEP * STEP)
    light = level.mean(axis=0)
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
        low, high = within - 4 * error, within + 4 * error
        what = (
            f"sky lines at edges, --flux {flux}: mean squared residual; 4 errors about that inside"
        )
        findings.within(what, camera, square.mean(), low, high)
