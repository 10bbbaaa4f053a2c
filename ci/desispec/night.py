"""A small night of spex-sim: a flat, a sky and two science exposures of a bundle of fibers.

Each exposure has its own PSF. Light comes at the observed wavelengths of the extraction, where R of
the frame times the spectrum is the expected flux. Calibrated fluxes are in units of a thousandth of
the flat lamp, which is the same function of wavelength in all cameras.
"""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from astropy.io import fits
from desispec.io import read_fibermap, read_image, write_image

#: wmin, wmax, dw of production, Angstrom.
GRID = {"b": (3600.0, 5800.0, 0.8), "r": (5760.0, 7620.0, 0.8), "z": (7520.0, 9824.0, 0.8)}
DW = 0.8
NFIBER = 25
NIGHT = 20240101
SKY_TARGET, STAR_TARGET = 2**32, 2**33  # bits of DESI_TARGET
FLAVORS = {1: "flat", 2: "sky", 3: "science", 4: "science"}  # of the exposures
FLAT, SKY, SCIENCE, OTHER_SCIENCE = FLAVORS

Job = tuple[str, int]  # camera, expid


@dataclass
class Night:
    """The files, and the simulated spectra on the grid of each camera."""

    folder: Path
    cameras: list[str]
    skies: np.ndarray = field(default_factory=lambda: np.array([]))  # fibers
    stars: np.ndarray = field(default_factory=lambda: np.array([]))
    wave: dict[str, np.ndarray] = field(default_factory=dict)
    throughput: dict[str, np.ndarray] = field(default_factory=dict)  # t_s [fiber, wave], mean 1
    calibration: dict[str, np.ndarray] = field(default_factory=dict)  # [wave], electron a unit
    flux: dict[str, np.ndarray] = field(default_factory=dict)  # of targets, calibrated

    def file(self, kind: str, camera: str, expid: int) -> Path:
        """A file of a camera: kind is preproc, psf or truth."""
        return self.folder / f"{kind}-{camera}-{expid:08d}.fits"

    def read_spectra(self) -> None:
        """Reads the spectra of a night that was simulated."""
        fibers = fits.getdata(self.file("preproc", self.cameras[0], SCIENCE), "FIBERMAP")
        self.skies = np.flatnonzero(fibers["DESI_TARGET"] == SKY_TARGET)
        self.stars = np.flatnonzero(fibers["DESI_TARGET"] == STAR_TARGET)
        for camera in self.cameras:
            wmin, wmax, dw = GRID[camera[0]]
            self.wave[camera] = np.arange(wmin, wmax + 0.5 * dw, dw)
            flat, sky, science = (self._truth(camera, expid) for expid in (FLAT, SKY, SCIENCE))
            self.throughput[camera] = flat / flat.mean(axis=0)
            self.calibration[camera] = flat.mean(axis=0) / 1000
            calibrated = self.throughput[camera] * self.calibration[camera]
            self.flux[camera] = (science - sky) / calibrated

    def _truth(self, camera: str, expid: int) -> np.ndarray:
        """Simulated light [fiber, wave] of an image, electron / Angstrom."""
        with fits.open(self.file("truth", camera, expid)) as file:
            wave, flux = file["WAVELENGTH"].data, file["FLUX"].data.astype(float)
        first = np.argmin(np.abs(wave - self.wave[camera][0]))
        return flux[:, first : first + len(self.wave[camera])]

    def flux_at(self, wave: np.ndarray) -> np.ndarray:
        """The calibrated flux of fibers on a part of the cameras' wavelengths, a common grid."""
        found = {}
        for camera in self.cameras:
            bins = np.rint(self.wave[camera] / DW).astype(int)
            found.update(zip(bins, self.flux[camera].T, strict=True))
        return np.array([found[i] for i in np.rint(wave / DW).astype(int)]).T


def simulate(night: Night, spex_sim: Path) -> None:
    """Makes the files of the night. desispec writes the images again, with more keywords."""
    night.folder.mkdir(parents=True, exist_ok=True)
    command = [spex_sim, "-o", night.folder, "--size", "bundle", "--on-grid", "--psf-shift", "0.5"]
    command += ["--cameras", ",".join(night.cameras), "--overwrite", "--loglevel", "warn"]
    for expid, flavor in FLAVORS.items():
        exptime = "120" if expid == FLAT else "900"
        options = ["--flavor", flavor, "--exptime", exptime, "--expid", str(expid)]
        subprocess.run([*command, *options], check=True)
        for camera in night.cameras:
            path = str(night.file("preproc", camera, expid))
            image = read_image(path)
            image.fibermap = read_fibermap(path)
            image.meta["LONGKEY"] = "a value that is longer than a card, " * 4
            image.meta["HIERARCH lower case"] = 1
            write_image(path, image)
