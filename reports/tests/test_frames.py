"""Tests of reading a frame and its inputs, and of the figures' numbers."""

import gzip
import sys
import tempfile
import unittest
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from frame_samples import SEED, FrameTest
from spexreports.errors import DataError
from spexreports.figures.frame import blocks, residuals
from spexreports.figures.readme import choose_fibers, richest_wave
from spexreports.figures.resolution import full_width, resolution_row, running_median, widths
from spexreports.results import frames as files
from spexreports.results.truth import apply_resolution


class Frames(FrameTest):
    def test_resolution_is_applied_by_columns(self):
        rng = np.random.default_rng(SEED)
        nwave, ndiag = 30, 4
        R = np.zeros((nwave, nwave))
        stored = np.zeros((2 * ndiag + 1, nwave))
        for j in range(nwave):
            for d in range(2 * ndiag + 1):
                i = j - ndiag + d
                stored[d, j] = rng.uniform()
                if 0 <= i < nwave:
                    R[i, j] = stored[d, j]
        flux = rng.uniform(size=nwave)
        np.testing.assert_allclose(apply_resolution(stored, flux), R @ flux, rtol=1e-13)
        np.testing.assert_array_equal(resolution_row(stored, 10), R[10, 6:15])

    def test_width_of_a_gaussian(self):
        x = np.arange(-8, 9)
        for sigma in (0.8, 1.3, 2.0):
            row = np.exp(-0.5 * (x / sigma) ** 2)
            self.assertAlmostEqual(full_width(row, 0.8), 2.354820045 * sigma * 0.8, places=6)
        self.assertAlmostEqual(full_width(np.array([0.0, 1.0, 0.0]), 0.8), 0.8)
        self.assertTrue(np.isnan(full_width(np.zeros(5), 0.8)))

    def test_running_median_leaves_gaps_alone(self):
        values = np.array([1.0, 9.0, 2.0, np.nan, 3.0, 4.0])
        expected = np.array([5.0, 2.0, 5.5, np.nan, 3.5, 3.5])
        np.testing.assert_array_equal(running_median(values, half=1), expected)

    def test_widths_skip_masked_bins(self):
        width = widths(self.frame, 3)
        self.assertTrue(np.isnan(width[40:50]).all())
        self.assertTrue((width[60:100] > 0.8).all())

    def test_residuals_are_of_pixels_that_count(self):
        """Without masked pixels and those that are not modeled."""
        image = np.full((4, 4), 12.0)
        ccd = files.Ccd(image, np.full((4, 4), 4.0), np.zeros((4, 4), int))
        ccd.mask[0, 0], ccd.ivar[0, 1], ccd.image[0, 2] = 1, 0, np.nan
        model = np.full((4, 4), 11.0)
        model[3] = 0
        found = residuals(ccd, model)
        expected = np.full((4, 4), 2.0)
        expected[0, :3] = expected[3] = np.nan
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(blocks(found, 2), [[2, 2], [2, 2]])
        self.assertTrue(np.isnan(blocks(np.full((4, 4), np.nan), 2)).all())

    def test_readme_shows_the_brightest_fiber_and_its_neighbors(self):
        np.testing.assert_array_equal(choose_fibers(self.frame, 3), [2, 3, 4])  # 4 is a star
        np.testing.assert_array_equal(choose_fibers(self.frame, 6), np.arange(6))
        self.assertEqual(len(choose_fibers(self.frame, 100)), len(self.frame.flux))

    def test_richest_wave_counts_lines_not_their_height(self):
        frame = files.read_frame(self.paths["frame"])
        frame.mask[:] = 0
        frame.ivar[:] = 1
        frame.flux[:] = 10.0
        frame.flux[:, 30] = 1e4
        frame.flux[:, [90, 94, 98, 102]] = 1e3
        self.assertLess(abs(richest_wave(frame, nbins=20) - frame.wave[96]), 8 * 0.8)

    def test_either_form_of_a_file_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            packed = Path(folder) / "frame.fits.gz"
            packed.write_bytes(gzip.compress(self.paths["frame"].read_bytes()))
            plain = files.read_frame(packed.with_suffix(""))
            np.testing.assert_array_equal(plain.flux, files.read_frame(self.paths["frame"]).flux)
            packed.with_suffix(".fz").write_bytes(b"")
            with self.assertRaises(FileNotFoundError):  # which of the two is meant?
                files.read_frame(packed.with_suffix(""))

    def assert_refused(self, read: Callable[[Path], object], content: bytes, name: str):
        """One line that names the file."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / name
            file.write_bytes(content)
            with warnings.catch_warnings(), self.assertRaises(DataError) as caught:
                warnings.simplefilter("error")
                read(file)
            self.assertRegex(str(caught.exception), rf"^{file}: .* \(a complete file as .*\)$")
            self.assertNotIn("\n", str(caught.exception))

    def test_truncated_files_are_named(self):
        for name, read in (
            ("preproc", files.read_ccd),
            ("psf", files.read_traces),
            ("frame", files.read_frame),
            ("model", files.read_model),
            ("truth", files.read_truth),
        ):
            whole = self.paths[name].read_bytes()
            # Within a header or within data. The PSF starts with its traces.
            length = 9000 if name == "psf" else len(whole)
            for size in (0, 100, 2000, 2880, 4000, length // 2, 3 * length // 4):
                with self.subTest(name=name, size=size):
                    self.assert_refused(read, whole[:size], "cut.fits")
            packed = gzip.compress(whole)
            with self.subTest(name=name, size="of gzip"):
                self.assert_refused(read, packed[: len(packed) // 50], "cut.fits.gz")
            self.assert_refused(read, b"no FITS file" * 400, "text.fits")
        self.assert_refused(files.read_ccd, self.paths["psf"].read_bytes(), "psf.fits")


if __name__ == "__main__":
    unittest.main(verbosity=2)
