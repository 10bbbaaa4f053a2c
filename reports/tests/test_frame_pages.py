"""Tests of the commands that draw a frame."""

import sys
import unittest
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from astropy.io import fits

sys.path.insert(0, str(Path(__file__).parent))

from frame_samples import CASE, FrameTest
from samples import run
from spexreports.figures import style
from spexreports.figures.spectra import spectra_figure
from spexreports.results import frames as files


class FramePages(FrameTest):
    def test_demo_draws_its_pictures(self):
        out = self.folder / "demo"
        inputs = self.files_of("preproc", "psf", "frame", "model", "truth")
        self.assertEqual(run("demo", *inputs, f"--out={out}")[::2], (0, ""))
        for name in ("patch", "spectra", "lines", "resolution", "pulls"):
            self.assert_drawn(out / f"{name}.png")

    def test_readme_picture(self):
        out = self.folder / "readme.png"
        inputs = self.files_of("preproc", "psf", "frame")
        self.assertEqual(run("readme", *inputs, f"--out={out}")[::2], (0, ""))
        self.assert_drawn(out)
        self.assertLess(out.stat().st_size, 300_000)

    def frame_command(self, *arguments: object) -> tuple[int, str]:
        """Status and stderr of `spex-reports frame`."""
        with warnings.catch_warnings():
            warnings.simplefilter("always")  # a user sees each of them
            status, _, stderr = run("frame", *arguments)
        return status, stderr

    def test_frame_page(self):
        """Spectra, noise and resolution of any frame; image − model with a model."""
        out = self.folder / "page"
        arguments = [self.paths["frame"], "--out", out]
        self.assertEqual(self.frame_command(*arguments)[0], 0)
        names = {"spectra", "lines", "ivar", "resolution"}
        self.assertEqual({p.stem for p in out.glob("*.svg")}, names)
        page = (out / "index.html").read_text()
        self.assertIn("Camera z0", page)
        self.assertIn("<span>sky fibers</span>", page)
        self.assertEqual(page.count('src="data:image/svg+xml;base64,'), len(names))
        self.assertNotRegex(page, r'src="(?!data:)|https?://')
        arguments += ["--model", self.paths["model"], "--preproc", self.paths["preproc"]]
        self.assertEqual(self.frame_command(*arguments)[0], 0)
        self.assertTrue((out / "residual.svg").exists())
        for file in out.glob("*.svg"):
            self.assertLess(file.stat().st_size, 100_000, file.name)
            ElementTree.parse(file)

    def test_frame_without_what_is_optional(self):
        """No FIBERMAP, MASK or CAMERA; no good bin; R of only a few fibers."""
        bare, dark, few = (self.folder / f"{name}.fits" for name in ("bare", "dark", "few"))
        with fits.open(self.paths["frame"]) as hdus:
            for name in ("MASK", "FIBERMAP"):
                del hdus[name]
            del hdus["FLUX"].header["CAMERA"]
            hdus.writeto(bare)
            hdus["IVAR"].data[:] = 0
            hdus.writeto(dark)
        with fits.open(self.paths["frame"]) as hdus:
            hdus["RESOLUTION"].data = hdus["RESOLUTION"].data[:3]
            hdus.writeto(few)
        for file in (bare, dark, few):
            out = self.folder / file.stem
            self.assertEqual(self.frame_command(file, "--out", out), (0, ""))
            self.assertIn(file.name, (out / "index.html").read_text())

    def test_frame_command_lines_that_cannot_be(self):
        out = self.folder / "no"
        frame, model = self.paths["frame"], self.paths["model"]
        for arguments, status, reason in (
            ([frame, "--model", model], 2, "needs the image too"),
            (["no.fits"], 1, "no.fits: No such file"),
            ([self.paths["psf"]], 1, "psf.fits: "),
        ):
            found, stderr = self.frame_command(*arguments, "--out", out)
            self.assertEqual((found, stderr.count("\n")), (status, 1), stderr)
            self.assertIn(reason, stderr)
            self.assertFalse(out.exists())

    def write_one_bin(self, path: Path, step: float | None) -> Path:
        """A frame of the bin with the sky line alone; no WAVESTEP without a step."""
        with fits.open(self.paths["frame"]) as hdus:
            for name in ("FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION"):
                hdus[name].data = hdus[name].data[..., 50:51]
            if step:
                hdus["FLUX"].header["WAVESTEP"] = step
            hdus.writeto(path)
        return path

    def test_a_frame_of_one_wavelength(self):
        """Its page and the README's picture, with points in place of lines, without a warning."""
        file = self.write_one_bin(self.folder / "one.fits", 0.8)
        self.assertEqual(files.read_frame(file).step, 0.8)
        self.assertEqual(self.frame_command(file, "--out", self.folder / "page"), (0, ""))
        figure = style.plt.imread(self.picture_of(file, self.folder / "spectra.png"))
        blue = np.array([0x00, 0x72, 0xB2]) / 255
        near = np.abs(figure[:, :, :3] - blue).max(axis=2) < 0.1
        self.assertGreater(near.sum(), 50, "no point of the extracted bins")
        inputs = [*self.files_of("preproc", "psf"), f"--frame={file}"]
        out = self.folder / "readme.png"
        self.assertEqual(run("readme", *inputs, f"--out={out}")[::2], (0, ""))

    def picture_of(self, file: Path, out: Path) -> Path:
        figure = spectra_figure(files.read_frame(file), "spectra")
        for text in figure.legends:
            text.remove()  # which has the color, too
        return style.save(figure, out)

    def test_one_wavelength_without_a_step_is_refused(self):
        file = self.write_one_bin(self.folder / "one.fits", None)
        status, stderr = self.frame_command(file, "--out", self.folder / "page")
        self.assertEqual(status, 1)
        self.assertRegex(stderr, r"one.fits: has one wavelength, and no WAVESTEP \(.*\)\n$")

    def test_missing_file_is_an_error(self):
        out = self.folder / "none.png"
        inputs = [*self.files_of("preproc", "psf"), "--frame=no-such-frame.fits"]
        status, _, stderr = run("readme", *inputs, f"--out={out}")
        self.assertEqual((status, stderr.count("\n")), (1, 1), stderr)
        self.assertFalse(out.exists())

    def test_truncated_preproc_is_one_line(self):
        cut = self.folder / "cut.fits"
        cut.write_bytes((CASE / "preproc.fits").read_bytes()[:300_000])
        inputs = [f"--preproc={cut}", *self.files_of("psf", "frame")]
        for command, more in (("readme", []), ("demo", self.files_of("model", "truth"))):
            out = self.folder / command
            status, _, stderr = run(command, *inputs, *more, f"--out={out}")
            self.assertEqual(status, 1)
            self.assertRegex(stderr, rf"\Aspex-reports: {cut}: .* \(.*\)\n\Z")


if __name__ == "__main__":
    unittest.main(verbosity=2)
