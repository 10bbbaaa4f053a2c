"""The barycentric factor against astropy, over dates and the whole sky.

usage: test_by_astropy.py spex_print_factors
"""

import itertools
import subprocess
import sys
import unittest

import numpy as np
from astropy import constants, units
from astropy.coordinates import EarthLocation, SkyCoord
from astropy.time import Time
from astropy.utils import iers

PROGRAM = sys.argv.pop(1)
KITT_PEAK = EarthLocation.from_geodetic(
    lat=31.96403 * units.deg, lon=-111.59989 * units.deg, height=2097 * units.m
)
# Use the table bundled with astropy; download nothing.
iers.conf.auto_download = False
TABLE = iers.IERS_A.open(iers.IERS_A_FILE)
iers.earth_orientation_table.set(TABLE)

# Seasons and hours from DESI's first light on, into the predictions; both sides of the last leap
# second, MJD 57754, and within the day that it ends.
DATES = [57753.25, 57753.999, 57754.0, 57754.4]
DATES += [58700 + 61.37 * i for i in range(45)]
DATES += [float(TABLE["MJD"].value[-1]) - 0.6]
POSITIONS = [(0, 90), (12, -90), (0, 0), (360, 0), (270, 66.56), (-15, 10)]
POSITIONS += list(itertools.product((3.0, 97.1, 201.9, 333.3), (-20.5, 4.4, 31.96, 77.7)))


def by_astropy(points: np.ndarray) -> np.ndarray:
    """F of rows (MJD, RA, DEC), as desispec.heliocentric has it."""
    mjd, ra, dec = points.T
    sky = SkyCoord(ra=ra * units.deg, dec=dec * units.deg, frame="icrs")
    v = sky.radial_velocity_correction(obstime=Time(mjd, format="mjd"), location=KITT_PEAK)
    kms = units.km / units.s
    return 1 + v.to(kms).value / constants.c.to(kms).value


def by_program(points: np.ndarray, *arguments: str) -> np.ndarray:
    """The same by the program."""
    lines = "".join(f"{float(m)!r} {float(r)!r} {float(d)!r}\n" for m, r, d in points)
    run = subprocess.run(
        [PROGRAM, *arguments], input=lines, capture_output=True, text=True, check=True
    )
    return np.array(run.stdout.split(), float)


class Factor(unittest.TestCase):
    """Relative differences from astropy."""

    @classmethod
    def setUpClass(cls):
        """Every date with every position."""
        pairs = itertools.product(DATES, POSITIONS)
        cls.points = np.array([(m, r, d) for m, (r, d) in pairs], float)
        cls.expected = by_astropy(cls.points)

    def test_points_cover_the_year(self):
        """The factors span the range of the Earth's motion."""
        self.assertGreater(len(self.points), 1000)
        self.assertLess(self.expected.min(), 0.99991)
        self.assertGreater(self.expected.max(), 1.00009)

    def test_with_table(self):
        """With UT1-UTC and polar motion."""
        factor = by_program(self.points, iers.IERS_A_FILE)
        error = np.abs(factor / self.expected - 1)
        self.assertEqual(len(factor), len(self.points))
        self.assertLess(error.max(), 1e-12, self.points[error.argmax()])

    def test_without_table(self):
        """UT1 = UTC: less exact, and not by chance the same."""
        error = np.abs(by_program(self.points) / self.expected - 1)
        self.assertLess(error.max(), 1e-10, self.points[error.argmax()])
        self.assertGreater(error.max(), 1e-12)


if __name__ == "__main__":
    unittest.main()
