"""PSFs of specter's other kinds: spots and fluxes beside specter's own."""

import tempfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import spexbench
from specter.extract import ex2d
from specter.psf import load_psf
from specter_psfs import WRITERS, Ccd
from table import Findings

SPOTS, SIGMAS = 1e-10, 0.01  # largest differences
MARGIN = 15  # bins at the ends of a patch, whose padding differs
CCD = Ccd(nfiber=5, nx=100, ny=220, wavemin=5000, wavemax=5200)


@dataclass(frozen=True)
class Case:
    """A PSF, the wavelengths of its spots, and the grid of an extraction: one patch."""

    name: str
    file: Path
    waves: np.ndarray
    grid: tuple[float, float, float]


def cases(folder: Path) -> list[Case]:
    """The test PSF of specter, and files of all kinds that are made here."""
    found = []
    for kind, write in WRITERS.items():
        # A long CCD, to have bins far from its ends.
        file = write(folder / f"{kind}.fits", CCD)
        found.append(Case(kind, file, np.linspace(5020, 5180, 41), (5063.0, 5136.5, 1.5)))
    own = Path(str(files("specter.test") / "t/psf-gausshermite2.fits"))
    if own.exists():
        grid = (7000.0, 7058.8, 1.2)
        found.append(Case("specter's psf-gausshermite2", own, np.linspace(6000, 9000, 41), grid))
    return found


def worst_spot(case: Case) -> float:
    """The largest difference of a pixel; infinite where a spot lies elsewhere."""
    ours, theirs = spexbench.read_psf(case.file), load_psf(str(case.file))
    pixels, columns, rows = ours.spot(wave=case.waves)
    worst = 0.0
    for s, w in np.ndindex(columns.shape):
        xs, ys, spot = theirs.xypix(s, case.waves[w])
        box = np.zeros(pixels.shape[2:])
        up, right = ys.start - rows[s, w], xs.start - columns[s, w]
        inside = min(up, right) >= 0 and up + spot.shape[0] <= box.shape[0]
        if not inside or right + spot.shape[1] > box.shape[1]:
            return np.inf
        box[up : up + spot.shape[0], right : right + spot.shape[1]] = spot
        worst = max(worst, float(np.abs(box - pixels[s, w]).max()))
    return worst


def worst_flux(case: Case) -> float:
    """The largest difference of an inner bin's flux from ex2d's, in standard deviations."""
    ours, theirs = spexbench.read_psf(case.file), load_psf(str(case.file))
    nspec, (first, last, step) = min(ours.nfiber, 5), case.grid
    wave = np.arange(first - 30 * step, last + 30 * step, step)
    rng = np.random.default_rng(7)
    light = rng.uniform(200, 400, (nspec, len(wave)))
    light[:, len(wave) // 2] += 3000
    image = spexbench.project(ours, wave, light, noise=3.0)
    size = {"bundlesize": nspec, "nsubbundles": 1}
    frame = spexbench.extract(image, ours, wavelength=case.grid, nspec=nspec, **size)
    flux, ivar, _ = ex2d(image.image, image.ivar, theirs, 0, nspec, frame.wave, **size)
    sigmas = np.abs(frame.flux - flux) * np.sqrt(ivar)
    return float(sigmas[:, MARGIN:-MARGIN].max())


def run(findings: Findings) -> None:
    """Compares all cases."""
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(Path(folder)):
            what = f"{case.name}: spots against specter's"
            findings.at_most(what, "all", worst_spot(case), SPOTS)
            what = f"{case.name}: flux against ex2d's, σ"
            findings.at_most(what, "all", worst_flux(case), SIGMAS)
