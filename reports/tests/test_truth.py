"""Tests of the pulls of a frame against its truth, and of its seams."""

import sys
import unittest
from pathlib import Path

import numpy as np
from astropy.io import fits

sys.path.insert(0, str(Path(__file__).parent))

from frame_samples import FrameTest
from samples import run
from spexreports.results import frames as files
from spexreports.results.seams import profile, read_seams
from spexreports.results.truth import expected_flux, pulls, truth_on_grid


class Truth(FrameTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.truth = files.read_truth(cls.paths["truth"])

    def test_pulls_of_right_noise_are_unit_normal(self):
        measured = pulls(self.frame, expected_flux(self.frame, self.truth))
        limit = 4 / np.sqrt(measured.pull.size)
        self.assertGreater(measured.pull.size, 2000)
        self.assertLess(abs(measured.mean), limit)
        self.assertLess(abs(measured.std - 1), limit)
        self.assertLess(abs(measured.half_width - 1), 1.5 * limit)
        self.assertLess(abs(measured.correlation), limit)

    def test_pulls_see_a_wrong_ivar_and_a_shift(self):
        expected = expected_flux(self.frame, self.truth)
        wrong = files.read_frame(self.paths["frame"])
        wrong.ivar = wrong.ivar * 1.2
        self.assertGreater(pulls(wrong, expected).std, 1.06)
        self.assertGreater(pulls(self.frame, np.roll(expected, 1, axis=1)).std, 1.1)

    def test_truth_on_another_grid_is_refused(self):
        off = files.Truth(wave=self.truth.wave + 0.3, flux=self.truth.flux)
        with self.assertRaisesRegex(ValueError, "not on the frame's wavelengths"):
            truth_on_grid(self.frame, off)
        short = files.Truth(wave=self.truth.wave[20:], flux=self.truth.flux[:, 20:])
        with self.assertRaisesRegex(ValueError, "not on the frame's wavelengths"):
            truth_on_grid(self.frame, short)

    def write_seams(self, folder: Path, step: int) -> list[Path]:
        """The frame with both options of --flux; that of patches is wrong at their edges."""
        paths = []
        for solver in ("patch", "frame"):
            path = folder / f"{solver}-{step}.fits"
            with fits.open(self.paths["frame"]) as hdus:
                w = np.arange(hdus["FLUX"].data.shape[1])
                if solver == "patch":
                    edge = (w % step == 0) | (w % step == step - 1)
                    sigma = 1 / np.sqrt(np.where(hdus["IVAR"].data > 0, hdus["IVAR"].data, 1))
                    hdus["FLUX"].data += (2 * sigma * edge).astype("f4")
                else:
                    hdus["FLUX"].header["FLUXSOLV"] = solver
                hdus["FLUX"].header["NWAVESTP"] = step
                hdus.writeto(path)
            paths.append(path)
        return [*paths, self.paths["truth"]]

    def test_seams_are_found_at_the_edges_of_patches(self):
        found = read_seams(*self.write_seams(self.folder, 20))
        self.assertEqual(found.distance.max(), 9)
        one = profile(found, 0, np.inf)
        np.testing.assert_allclose(one.apart[0], 2, rtol=1e-5)
        np.testing.assert_array_equal(one.apart[1:], 0)
        self.assertGreater(one.square[0, 0], 3)  # 1 + 2^2
        self.assertLess(abs(one.square[1, 0] - 1), 0.2)

    def test_seams_picture(self):
        patch, frame, truth = self.write_seams(self.folder, 20)
        out = self.folder / "seams.png"
        self.assertEqual(run("seams", "--exposure", patch, frame, truth, f"--out={out}")[0], 0)
        self.assert_drawn(out)
        exchanged = self.folder / "exchanged.png"
        self.assertEqual(
            run("seams", "--exposure", frame, patch, truth, f"--out={exchanged}")[0], 1
        )
        self.assertFalse(exchanged.exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
