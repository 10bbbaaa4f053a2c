"""A small night: calibration and science exposures of a bundle of fibers in b, r and z.

Of two kinds. In by_gpu_specter images are the sum of spots that gpu_specter evaluates, so that
nothing of spexbench has a part in them but the PSF files, which are spex-sim's. Files are written
by desispec's own writer.

Spectra are given on the wavelengths of the extraction, where R of the frame times the spectrum is
what must come out. Fluxes are calibrated; a camera's throughput C(lambda) and a fiber's
t_s(lambda), whose mean over fibers is 1, make electrons of them. The flat lamp shows t_s.

In by_spex_sim all is spex-sim's, and what was put in is what its truth files say.
"""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import gpu_specter.io
import numpy as np
from astropy.io import fits
from astropy.table import Table
from desispec.image import Image
from desispec.io.image import write_image
from desispec.scripts.extract import barycentric_correction_multiplicative_factor
from gpu_specter.extract.cpu import get_spots

#: wmin, wmax, dw of production, Angstrom.
GRID = {"b": (3600.0, 5800.0, 0.8), "r": (5760.0, 7620.0, 0.8), "z": (7520.0, 9824.0, 0.8)}
DW = 0.8
NFIBER = 25
READ_NOISE = 3.0  # electron
STEP = 0.25  # electron, in which pixels are counted
MARGIN = 20  # bins beyond either end of the grid, whose light reaches into it
NIGHT = 20240101
TILEID = 1000
FIELD = (150.5, 30.5)  # degrees
STARS = (4, 12, 20)
SKY_TARGET, STAR_TARGET = 2**32, 2**33  # bits of DESI_TARGET
SKIES = (0, 2, 5, 7, 10, 13, 15, 18, 21, 23)


@dataclass(frozen=True)
class Exposure:
    """An exposure of all cameras."""

    expid: int
    flavor: str  # flat, sky or science
    exptime: float  # s


@dataclass
class Night:
    """Its files, and what was put into them, on the grid of each camera without its margins."""

    images: str  # gpu_specter or spex-sim
    folder: Path
    cameras: list[str]
    exposures: tuple[Exposure, ...]
    skies: tuple[int, ...]  # fibers
    stars: tuple[int, ...]
    barycentric: bool  # whether light comes at barycentric wavelengths
    psf_of_exposure: bool  # whether each exposure has a PSF of its own
    wave: dict[str, np.ndarray] = field(default_factory=dict)
    throughput: dict[str, np.ndarray] = field(default_factory=dict)  # t_s [fiber, wave]
    calibration: dict[str, np.ndarray] = field(default_factory=dict)  # C [wave], electron a unit
    flux: dict[str, np.ndarray] = field(default_factory=dict)  # of targets, calibrated

    def of(self, *flavors: str) -> list[int]:
        """Numbers of the exposures of some flavors."""
        return [e.expid for e in self.exposures if e.flavor in flavors]

    def psf(self, camera: str, expid: int) -> Path:
        """PSF of an image."""
        return self.folder / f"psf-{camera}-{expid if self.psf_of_exposure else 1:08d}.fits"

    def preproc(self, camera: str, expid: int) -> Path:
        """Image of a camera."""
        return self.folder / f"preproc-{camera}-{expid:08d}.fits"

    def flux_at(self, wave: np.ndarray) -> np.ndarray:
        """The calibrated flux of fibers on a part of the cameras' wavelengths, a common grid."""
        found = {}
        for camera in self.cameras:
            bins = np.rint(self.wave[camera] / DW).astype(int)
            found.update(zip(bins, self.flux[camera].T, strict=True))
        return np.array([found[i] for i in np.rint(wave / DW).astype(int)]).T


def grid(camera: str) -> np.ndarray:
    """Wavelengths of a camera."""
    wmin, wmax, dw = GRID[camera[0]]
    return np.arange(wmin, wmax + 0.5 * dw, dw)


def header(camera: str, exposure: Exposure) -> dict[str, object]:
    """Keywords of IMAGE, as production's raw data and preprocessing have them."""
    flavor = exposure.flavor.upper()
    return {
        "NIGHT": NIGHT,
        "EXPID": exposure.expid,
        "CAMERA": camera,
        "SPECGRPH": int(camera[1]),
        "EXPTIME": exposure.exptime,
        "MJD-OBS": 60311.3 + 0.02 * exposure.expid,
        "FLAVOR": "science" if flavor == "SCIENCE" else "flat",
        "OBSTYPE": flavor,
        "PROGRAM": "desispec-check",
        "TILEID": TILEID,
        "TARGTRA": FIELD[0],
        "TARGTDEC": FIELD[1],
        "AIRMASS": 1.1,
        "SEEING": 1.1,
        "LONGKEY": "a value that is longer than a card, " * 4,
        "HIERARCH lower case": 1,
    }


def fibermap() -> Table:
    """The columns that desispec's steps ask for."""
    rng = np.random.default_rng(5)
    fiber = np.arange(NFIBER)
    is_sky = np.isin(fiber, SKIES)
    is_star = np.isin(fiber, STARS)
    rows = Table()
    rows["TARGETID"] = (39627000000000000 + fiber).astype(np.int64)
    rows["PETAL_LOC"] = np.zeros(NFIBER, dtype=np.int16)
    rows["DEVICE_LOC"] = fiber.astype(np.int32)
    rows["LOCATION"] = fiber.astype(np.int64)
    rows["FIBER"] = fiber.astype(np.int32)
    rows["FIBERSTATUS"] = np.zeros(NFIBER, dtype=np.int32)
    rows["OBJTYPE"] = np.where(is_sky, "SKY", "TGT")
    rows["DESI_TARGET"] = np.where(is_sky, SKY_TARGET, np.where(is_star, STAR_TARGET, 1)).astype(
        np.int64
    )
    rows["BGS_TARGET"] = np.zeros(NFIBER, dtype=np.int64)
    rows["MWS_TARGET"] = np.zeros(NFIBER, dtype=np.int64)
    rows["TARGET_RA"] = FIELD[0] + rng.uniform(-0.2, 0.2, NFIBER)
    rows["TARGET_DEC"] = FIELD[1] + rng.uniform(-0.2, 0.2, NFIBER)
    rows["FIBER_RA"], rows["FIBER_DEC"] = rows["TARGET_RA"], rows["TARGET_DEC"]
    for name in ("FIBER_X", "FIBER_Y"):
        rows[name] = rng.uniform(20, 80, NFIBER)
    for name in ("DELTA_X", "DELTA_Y"):
        rows[name] = np.zeros(NFIBER)
    for band in ("G", "BP", "RP"):
        rows[f"GAIA_PHOT_{band}_MEAN_MAG"] = np.full(NFIBER, 17.0, dtype=np.float32)
    return rows


def _spectra(wave: np.ndarray, dw: float) -> dict[str, np.ndarray]:
    """All that does not depend on the exposure, the same function of wavelength in all cameras."""
    rng = np.random.default_rng(1)
    x = (wave - 6500) / 3000
    slope, phase = rng.normal(0, 0.05, (2, NFIBER, 1))
    t = 1 + rng.normal(0, 0.08, (NFIBER, 1)) + slope * x + 0.02 * np.sin(7 * x + 40 * phase)
    t /= t.mean(axis=0)
    lines = np.random.default_rng(2)
    sky = 40 + 10 * x
    for centre, strength in zip(
        lines.uniform(3600, 9830, 160), lines.exponential(600, 160), strict=True
    ):
        near = np.abs(wave - centre) < 0.5 * dw
        sky[near] += strength / dw
    flux = np.zeros((NFIBER, len(wave)))
    targets = np.random.default_rng(3)
    for s in range(NFIBER):
        level, tilt, centre = targets.uniform([2, -0.3, 4000], [6, 0.3, 9500])
        if s in STARS:
            flux[s] = 60 * (1 + 0.2 * s / NFIBER) * (1 - 0.5 * x + 0.2 * x**2)
            for absorbed in (3934, 4102, 4341, 4861, 6563, 8542):
                flux[s] *= 1 - 0.5 * np.exp(-0.5 * ((wave - absorbed) / 8) ** 2)
        elif s not in SKIES:
            flux[s] = level * (1 + tilt * x)
            flux[s] += 3 * level * np.exp(-0.5 * ((wave - centre) / 3) ** 2)
    return {
        "throughput": t,
        "calibration": 12 * (1 + 0.2 * x - 0.1 * x**2),
        "flux": flux,
        "sky": sky,
        "lamp": 4000 * (1 + 0.3 * x - 0.2 * x**2),
    }


def _expected(psf: dict, wave: np.ndarray, electrons: np.ndarray) -> np.ndarray:
    """The image of spectra, electron: `electrons` [fiber, wave] arrive at `wave`."""
    spots, (xc, yc), _ = get_spots(0, NFIBER, wave, psf)
    meta = psf["PSF"].meta
    image = np.zeros((meta["NPIX_Y"], meta["NPIX_X"]))
    ny, nx = spots.shape[2:]
    y = yc[:, :, None, None] + np.arange(ny)[:, None]
    x = xc[:, :, None, None] + np.arange(nx)
    x, y = np.broadcast_arrays(x, y)
    inside = (x >= 0) & (x < image.shape[1]) & (y >= 0) & (y < image.shape[0])
    np.add.at(image, (y[inside], x[inside]), (spots * electrons[:, :, None, None])[inside])
    return image


def by_gpu_specter(folder: Path, spex_sim: Path, cameras: list[str], make: bool) -> Night:
    """Simulates the night: its files lie in `folder`; without `make` they are there already."""
    if make:
        folder.mkdir(parents=True, exist_ok=True)
        command = [spex_sim, "-o", folder, "--size", "bundle", "--cameras", ",".join(cameras)]
        subprocess.run([*command, "--loglevel", "warn"], check=True)
    exposures = (
        Exposure(1, "flat", 120.0),
        Exposure(2, "science", 900.0),
        Exposure(3, "science", 900.0),
    )
    night = Night("gpu_specter", folder, cameras, exposures, SKIES, STARS, True, False)
    for camera in cameras:
        wmin, _, dw = GRID[camera[0]]
        inner = grid(camera)
        wave = wmin + dw * np.arange(-MARGIN, len(inner) + MARGIN)
        spectra = _spectra(wave, dw)
        kept = slice(MARGIN, -MARGIN)
        night.wave[camera] = inner
        night.throughput[camera] = spectra["throughput"][:, kept]
        night.calibration[camera] = spectra["calibration"][kept]
        night.flux[camera] = spectra["flux"][:, kept]
        if not make:
            continue
        psf = gpu_specter.io.read_psf(str(night.psf(camera, 1)))
        for exposure in exposures:
            meta = header(camera, exposure)
            if exposure.flavor == "flat":
                factor = 1.0
                light = spectra["lamp"] * np.ones((NFIBER, 1))
            else:
                # Light of a barycentric wavelength falls where that of wavelength / factor does.
                factor = barycentric_correction_multiplicative_factor(meta)
                light = spectra["sky"] + spectra["flux"] * spectra["calibration"]
            electrons = light * spectra["throughput"] * dw / factor
            expected = _expected(psf, wave / factor, electrons)
            seed = [exposure.expid, *map(ord, camera)]
            _write(night.preproc(camera, exposure.expid), expected, camera, meta, seed)
    return night


def by_spex_sim(folder: Path, spex_sim: Path, cameras: list[str], make: bool) -> Night:
    """The same by spex-sim alone, with a sky exposure too, and a PSF of its own for each exposure.

    Calibrated fluxes are in units of a thousandth of the flat lamp, which is the same function of
    wavelength in all cameras. Light comes at the wavelengths of the grid, observed ones.
    """
    command = [spex_sim, "-o", folder, "--size", "bundle", "--cameras", ",".join(cameras)]
    command += ["--on-grid", "--psf-shift", "0.5", "--loglevel", "warn"]
    exposures = (
        Exposure(1, "flat", 120.0),
        Exposure(2, "sky", 900.0),
        Exposure(3, "science", 900.0),
        Exposure(4, "science", 900.0),
    )
    folder.mkdir(parents=True, exist_ok=True)
    for e in exposures if make else ():
        options = ["--flavor", e.flavor, "--exptime", f"{e.exptime}", "--expid", f"{e.expid}"]
        subprocess.run([*command, *options], check=True)
    night = Night("spex-sim", folder, cameras, exposures, (), (), False, True)
    with fits.open(night.preproc(cameras[0], 3)) as file:
        targets = file["FIBERMAP"].data["DESI_TARGET"]
    night.skies = tuple(np.flatnonzero(targets == SKY_TARGET))
    night.stars = tuple(np.flatnonzero(targets == STAR_TARGET))
    for camera in cameras:
        night.wave[camera] = grid(camera)
        flat, sky, science = (_truth(night, camera, expid) for expid in (1, 2, 3))
        night.throughput[camera] = flat / flat.mean(axis=0)
        night.calibration[camera] = flat.mean(axis=0) / 1000
        night.flux[camera] = (science - sky) / night.throughput[camera] / night.calibration[camera]
    return night


def _truth(night: Night, camera: str, expid: int) -> np.ndarray:
    """Light [fiber, wave], electron / Angstrom, that spex-sim put into an image."""
    with fits.open(night.folder / f"truth-{camera}-{expid:08d}.fits") as file:
        wave, flux = file["WAVELENGTH"].data, file["FLUX"].data.astype(float)
    first = np.argmin(np.abs(wave - night.wave[camera][0]))
    return flux[:, first : first + len(night.wave[camera])]


def _rounded(value: np.ndarray) -> np.ndarray:
    """Numbers of 8 bits and an exponent, within a part in 256."""
    mantissa, exponent = np.frexp(value)
    return np.ldexp(np.round(mantissa * 256) / 256, exponent)


def _write(path: Path, expected: np.ndarray, camera: str, meta: dict, seed: list[int]) -> None:
    """An exposure of the expected electrons, as desispec writes a preprocessed image."""
    rng = np.random.default_rng(seed)
    pix = rng.poisson(expected) + rng.normal(0, READ_NOISE, expected.shape)
    # In steps, as a detector counts, so that a night packs small enough to be sent elsewhere.
    pix = np.round(pix / STEP) * STEP
    ivar = _rounded(1 / (expected + READ_NOISE**2))
    mask = np.zeros(expected.shape, dtype=np.uint32)
    hit = rng.random(expected.shape) < 2e-4  # a cosmic ray, found by the preprocessing
    pix[hit] += 1000
    mask[hit] = 16
    readnoise = np.full(expected.shape, READ_NOISE)
    image = Image(pix, ivar, mask=mask, readnoise=readnoise, camera=camera, meta=meta)
    image.fibermap = fibermap()
    write_image(str(path), image)
