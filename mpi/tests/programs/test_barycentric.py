"""Compares barycentric frames with astropy and NumPy for the same headers.

usage: test_barycentric.py spex-cpu GOLDEN-FOLDER
"""

import io
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from astropy import constants, units
from astropy.coordinates import EarthLocation, SkyCoord
from astropy.io import fits
from astropy.time import Time
from astropy.utils import iers

GOLDEN = Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
WAVELENGTH = (3620.0, 3640.3, 0.8)
KITT_PEAK = EarthLocation.from_geodetic(
    lat=31.96403 * units.deg, lon=-111.59989 * units.deg, height=2097 * units.m
)
iers.conf.auto_download = False
iers.earth_orientation_table.set(iers.IERS_A.open(iers.IERS_A_FILE))

# The keywords of both headers, and the resulting pointing: RA, Dec, MJD.
TIME = {"MJD-OBS": 59305.4, "EXPTIME": 900.0}
MIDDLE = 59305.4 + 450 / 86400
HEADERS = [
    ({"TARGTRA": 10.0, "TARGTDEC": 20.0, **TIME}, {}, (10, 20, MIDDLE)),
    ({"RA": 200.0, "DEC": -5.0, "MJD": 60310.5}, {}, (200, -5, 60310.5)),
    ({"RA": 1.0, "DEC": 2.0, "TELRA": 3.0, "TELDEC": 4.0, **TIME}, {}, (3, 4, MIDDLE)),
    ({"RA": 1.0, "SKYRA": 5.0, "TELRA": 3.0, "TARGTDEC": 6.0, **TIME}, {}, (5, 6, MIDDLE)),
    ({"RA": 1.0, "DEC": 2.0, "MJD": 58000.0, **TIME}, {"TARGTRA": 99.0}, (1, 2, MIDDLE)),
    ({"TELRA": 3.0, "TELDEC": 4.0}, {"TARGTRA": 30.0, "TARGTDEC": 40.0, **TIME}, (30, 40, MIDDLE)),
]
KEYWORDS = [stem + axis for stem in ("TARGT", "SKY", "TEL", "") for axis in ("RA", "DEC")]
KEYWORDS += ["MJD-OBS", "MJD", "EXPTIME"]


def factor(ra: float, dec: float, mjd: float) -> float:
    """The factor as in desispec.heliocentric."""
    sky = SkyCoord(ra=ra * units.deg, dec=dec * units.deg, frame="icrs")
    v = sky.radial_velocity_correction(obstime=Time(mjd, format="mjd"), location=KITT_PEAK)
    kms = units.km / units.s
    return float(1 + v.to(kms).value / constants.c.to(kms).value)


class Frames(unittest.TestCase):
    """Tests with a temporary folder each."""

    def setUp(self):
        """A folder."""
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def image(self, image: dict, fibermap: dict, **more: str) -> Path:
        """A copy of golden/tiny-b with other keywords in both headers."""
        path = self.folder / "preproc.fits"
        with fits.open(GOLDEN / "tiny-b/preproc.fits") as hdus:
            for hdu, keywords in (("IMAGE", image), ("FIBERMAP", fibermap)):
                for key in KEYWORDS:
                    hdus[hdu].header.pop(key, None)
                hdus[hdu].header.update(keywords)
            hdus["IMAGE"].header.update(more)
            hdus.writeto(path, overwrite=True, checksum=True)
        return path

    def extract(self, image: Path, *options: str, wavelength: tuple = WAVELENGTH) -> fits.HDUList:
        """Extracts a frame."""
        frame = self.folder / "frame.fits"
        grid = ",".join(repr(float(x)) for x in wavelength)
        command = [PROGRAM, "-i", image, "-p", GOLDEN / "tiny-b/psf.fits", "-o", frame, "-w", grid]
        command += ["--bundlesize", "5", "--loglevel", "error", "--full-precision", *options]
        subprocess.run(command, check=True)
        return fits.open(io.BytesIO(frame.read_bytes()))

    def test_factor_of_each_header(self):
        """HELIOCOR agrees with astropy."""
        for image, fibermap, looked in HEADERS:
            path = self.image(image, fibermap)
            frame = self.extract(path, "--barycentric-correction", "--iers", iers.IERS_A_FILE)
            found = frame[0].header["HELIOCOR"]
            self.assertLess(abs(found / factor(*looked) - 1), 1e-12, image)
            without = self.extract(path, "--barycentric-correction")[0].header["HELIOCOR"]
            self.assertLess(abs(without / factor(*looked) - 1), 1e-10, image)
            self.assertNotEqual(without, found)

    def test_frame_of_the_corrected_grid(self):
        """Fluxes are of wmin/F, wmax/F, dw/F; wavelengths and keywords of the requested grid."""
        image, fibermap, looked = HEADERS[0]
        path = self.image(image, fibermap)
        wmin, wmax, dw = WAVELENGTH
        frame = self.extract(path, "--barycentric-correction", "--iers", iers.IERS_A_FILE)
        wave = np.arange(wmin, wmax + 0.5 * dw, dw)
        np.testing.assert_array_equal(frame["WAVELENGTH"].data, wave)
        header = frame[0].header
        self.assertEqual(tuple(header[f"WAVE{x}"] for x in ("MIN", "MAX", "STEP")), WAVELENGTH)

        by_astropy = factor(*looked)
        grid = tuple(x / by_astropy for x in WAVELENGTH)
        expected = self.extract(path, wavelength=grid)
        self.assertNotIn("HELIOCOR", expected[0].header)
        pull = (frame["FLUX"].data - expected["FLUX"].data) * np.sqrt(expected["IVAR"].data)
        self.assertLess(np.abs(pull).max(), 1e-6)
        for hdu in ("IVAR", "RESOLUTION", "CHI2PIX"):
            np.testing.assert_allclose(frame[hdu].data, expected[hdu].data, rtol=1e-6, atol=1e-8)
        np.testing.assert_array_equal(frame["MASK"].data, expected["MASK"].data)

        plain = self.extract(path)
        pull = (frame["FLUX"].data - plain["FLUX"].data) * np.sqrt(plain["IVAR"].data)
        self.assertGreater(np.abs(pull).max(), 1e-3, "the correction has no effect")

    def test_scores_of_the_stated_grid(self):
        """Their dw is that of the stated grid; CAMERA is written in lower case."""
        image, fibermap, _ = HEADERS[0]
        path = self.image(image, fibermap, CAMERA="B0")
        frame = self.extract(path, "--barycentric-correction")
        self.assertEqual(frame[0].header["CAMERA"], "b0")
        self.assertEqual(frame["SCORES"].data["SUM_RAW_COUNT_B"].tolist(), [0.0] * 10)
        path = self.image(image, fibermap, CAMERA="x0")
        frame = self.extract(path, "--barycentric-correction")
        scores, flux, ivar = (frame[x].data for x in ("SCORES", "FLUX", "IVAR"))
        dw = WAVELENGTH[2]
        np.testing.assert_allclose(scores["SUM_RAW_COUNT_X"], flux.sum(axis=1), rtol=1e-12)
        np.testing.assert_allclose(
            scores["MEDIAN_RAW_COUNT_X"], np.median(flux / dw, axis=1), rtol=1e-14
        )
        np.testing.assert_allclose(
            scores["MEDIAN_RAW_SNR_X"],
            np.median(np.sqrt(ivar) * flux / np.sqrt(dw), axis=1),
            rtol=1e-14,
        )

    def test_by_obstype(self):
        """Only SCIENCE and SKY are corrected."""
        image, fibermap, _ = HEADERS[0]
        for obstype, corrected in (("SCIENCE", True), ("SKY", True), ("FLAT", False)):
            path = self.image(image, fibermap, OBSTYPE=obstype)
            header = self.extract(path, "--barycentric-by-obstype")[0].header
            self.assertEqual("HELIOCOR" in header, corrected, obstype)

    def test_given_factor(self):
        """--heliocor is used exactly."""
        given = 1.0000641254341616
        path = self.image(*HEADERS[0][:2])
        frame = self.extract(path, "--barycentric-correction", "--heliocor", repr(given))
        self.assertEqual(frame[0].header["HELIOCOR"], given)
        expected = self.extract(path, wavelength=tuple(x / given for x in WAVELENGTH))
        np.testing.assert_array_equal(frame["FLUX"].data, expected["FLUX"].data)

    def test_date_beyond_the_table(self):
        """The error names the date; nothing is written."""
        path = self.image({"RA": 1.0, "DEC": 2.0, "MJD": 70000.0}, {})
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            self.extract(path, "--barycentric-correction", "--iers", iers.IERS_A_FILE)
        self.assertEqual(caught.exception.returncode, 1)
        self.assertFalse((self.folder / "frame.fits").exists())
        self.extract(path, "--barycentric-correction")


if __name__ == "__main__":
    unittest.main()
