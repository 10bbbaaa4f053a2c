"""Tests of the figures of frames and of the truth check, on a small simulated frame."""

import gzip
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from astropy.io import fits

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))

from spexreports.__main__ import COMMANDS, main  # noqa: E402
from spexreports.commands import RUN  # noqa: E402
from spexreports.errors import DataError  # noqa: E402
from spexreports.figures import style  # noqa: E402
from spexreports.figures.frame import blocks, residuals  # noqa: E402
from spexreports.figures.readme import choose_fibers, richest_wave  # noqa: E402
from spexreports.figures.resolution import (  # noqa: E402
    full_width,
    resolution_row,
    running_median,
    widths,
)
from spexreports.figures.spectra import spectra_figure  # noqa: E402
from spexreports.results import frames as files  # noqa: E402
from spexreports.results.seams import profile, read_seams  # noqa: E402
from spexreports.results.truth import (  # noqa: E402
    apply_resolution,
    expected_flux,
    pulls,
    truth_on_grid,
)

CASE = ROOT / "golden" / "tiny-z"
SEED = 20260214


def make_model(psf: files.Traces, frame: files.Frame, shape: tuple[int, int]) -> np.ndarray:
    """A round Gaussian of each bin's light at its position on the CCD."""
    y, x = np.indices(shape)
    model = np.zeros(shape)
    for s, fiber in enumerate(frame.index):
        for wave, flux in zip(frame.wave[::4], frame.flux[s, ::4], strict=True):
            dx, dy = x - psf.column(fiber, wave), y - psf.row(fiber, wave)
            model += 0.8 * 4 * flux / (2 * np.pi) * np.exp(-(dx**2 + dy**2) / 2)
    return model


def write_inputs(folder: Path) -> dict[str, Path]:
    """A frame whose flux is R · truth plus noise of its own ivar, with truth and model files."""
    rng = np.random.default_rng(SEED)
    golden = files.read_frame(CASE / "frame-tiny-z.fits")
    traces = files.read_traces(CASE / "psf.fits")
    ccd = files.read_ccd(CASE / "preproc.fits")
    nspec, nwave = golden.flux.shape
    truth = rng.uniform(50, 100, (nspec, nwave + 20))
    truth[:, 60] += 2000  # a sky line
    truth[4] *= 30  # a bright star
    wave = golden.wave[0] + 0.8 * np.arange(-10, nwave + 10)
    flux = np.array(
        [
            apply_resolution(R, f)
            for R, f in zip(golden.resolution, truth[:, 10 : 10 + nwave], strict=True)
        ]
    )
    sigma = 1 / np.sqrt(np.where(golden.ivar > 0, golden.ivar, 1))
    flux += rng.standard_normal(flux.shape) * sigma
    mask = np.zeros(flux.shape, np.uint32)
    mask[3, 40:50] = 1
    flux[3, 40:50] = 1e9  # masked, so it must not be visible

    paths = {name: folder / f"{name}.fits" for name in ("frame", "truth", "model")}
    objtype = np.array(["SKY" if s % 5 == 0 else "TGT" for s in range(nspec)])
    table = fits.BinTableHDU.from_columns(
        [
            fits.Column("FIBER", "J", array=np.arange(nspec) + 1000),
            fits.Column("OBJTYPE", "3A", array=objtype),
        ],
        name="FIBERMAP",
    )
    primary = fits.PrimaryHDU(flux.astype("f4"))
    primary.header["EXTNAME"] = "FLUX"
    primary.header["CAMERA"] = "z0"
    fits.HDUList(
        [
            primary,
            fits.ImageHDU(golden.ivar.astype("f4"), name="IVAR"),
            fits.ImageHDU(mask, name="MASK"),
            fits.ImageHDU(golden.wave, name="WAVELENGTH"),
            fits.ImageHDU(golden.resolution, name="RESOLUTION"),
            table,
        ]
    ).writeto(paths["frame"])
    fits.HDUList(
        [
            fits.PrimaryHDU(),
            fits.ImageHDU(wave, name="WAVELENGTH"),
            fits.ImageHDU(truth, name="FLUX"),
        ]
    ).writeto(paths["truth"])
    frame = files.read_frame(paths["frame"])
    model = make_model(traces, frame, ccd.image.shape)
    fits.HDUList([fits.PrimaryHDU(model)]).writeto(paths["model"])
    fits.setval(paths["model"], "EXTNAME", value="MODEL")
    return paths | {"preproc": CASE / "preproc.fits", "psf": CASE / "psf.fits"}


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="spexreports-")
        cls.paths = write_inputs(Path(cls.folder.name))
        cls.frame = files.read_frame(cls.paths["frame"])
        cls.truth = files.read_truth(cls.paths["truth"])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_main(self, command: str, names: list[str], out: Path) -> int:
        arguments = [f"--{name}={self.paths[name]}" for name in names]
        before = sys.argv
        sys.argv = ["spexreports", command, *arguments, f"--out={out}"]
        try:
            return main()
        finally:
            sys.argv = before

    def assert_drawn(self, path: Path):
        """The picture exists, and no quarter of it is blank."""
        picture = style.plt.imread(path)[:, :, :3].mean(axis=2)
        height, width = picture.shape
        self.assertGreater(min(height, width), 300)
        for rows in (slice(0, height // 2), slice(height // 2, height)):
            for columns in (slice(0, width // 2), slice(width // 2, width)):
                self.assertGreater(np.mean(picture[rows, columns] < 0.95), 0.01, path.name)

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

    def test_demo_draws_its_pictures(self):
        out = Path(self.folder.name) / "demo"
        self.assertEqual(
            self.run_main("demo", ["preproc", "psf", "frame", "model", "truth"], out), 0
        )
        for name in ("patch", "spectra", "lines", "resolution", "pulls"):
            self.assert_drawn(out / f"{name}.png")

    def frame_command(self, *arguments: object) -> tuple[int, str]:
        """Status and stderr of `spex-reports frame`."""
        status, _, stderr = self.run_program("frame", *map(str, arguments))
        return status, stderr

    def test_frame_page(self):
        """Spectra, noise and resolution of any frame; image − model with a model."""
        out = Path(self.folder.name) / "page"
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
        with tempfile.TemporaryDirectory() as folder:
            bare, dark = Path(folder) / "bare.fits", Path(folder) / "dark.fits"
            with fits.open(self.paths["frame"]) as hdus:
                for name in ("MASK", "FIBERMAP"):
                    del hdus[name]
                del hdus["FLUX"].header["CAMERA"]
                hdus.writeto(bare)
                hdus["IVAR"].data[:] = 0
                hdus.writeto(dark)
            few = Path(folder) / "few.fits"
            with fits.open(self.paths["frame"]) as hdus:
                hdus["RESOLUTION"].data = hdus["RESOLUTION"].data[:3]
                hdus.writeto(few)
            for file in (bare, dark, few):
                out = Path(folder) / file.stem
                self.assertEqual(self.frame_command(file, "--out", out), (0, ""))
                self.assertIn(file.name, (out / "index.html").read_text())

    def test_frame_command_lines_that_cannot_be(self):
        out = Path(self.folder.name) / "no"
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
        with tempfile.TemporaryDirectory() as folder:
            file = self.write_one_bin(Path(folder) / "one.fits", 0.8)
            self.assertEqual(files.read_frame(file).step, 0.8)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                status, stderr = self.frame_command(file, "--out", Path(folder) / "page")
                self.assertEqual((status, stderr), (0, ""))
            figure = style.plt.imread(self.picture_of(file, Path(folder) / "spectra.png"))
            blue = np.array([0x00, 0x72, 0xB2]) / 255
            near = np.abs(figure[:, :, :3] - blue).max(axis=2) < 0.1
            self.assertGreater(near.sum(), 50, "no point of the extracted bins")
            here, self.paths = self.paths, self.paths | {"frame": file}
            try:
                out = Path(folder) / "readme.png"
                self.assertEqual(self.run_main("readme", ["preproc", "psf", "frame"], out), 0)
            finally:
                self.paths = here

    def picture_of(self, file: Path, out: Path) -> Path:
        figure = spectra_figure(files.read_frame(file), "spectra")
        for text in figure.legends:
            text.remove()  # which has the color, too
        return style.save(figure, out)

    def test_one_wavelength_without_a_step_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            file = self.write_one_bin(Path(folder) / "one.fits", None)
            status, stderr = self.frame_command(file, "--out", Path(folder) / "page")
            self.assertEqual(status, 1)
            self.assertRegex(stderr, r"one.fits: has one wavelength, and no WAVESTEP \(.*\)\n$")

    def test_help_does_not_wait_for_packages(self):
        """Matplotlib and the like take seconds to load, which --help and wrong words need not."""
        code = (
            "import sys, spexreports.__main__ as m\n"
            "sys.argv = ['spex-reports', *sys.argv[1:]]\n"
            "try: m.main()\n"
            "except SystemExit as end: print(end.code)\n"
            "print(sorted({'numpy', 'astropy', 'matplotlib', 'pandas'} & sys.modules.keys()))"
        )
        for arguments, status in (
            (["--help"], "0"),
            (["frame", "--help"], "0"),
            (["nothing"], "2"),
        ):
            said = subprocess.run(
                [sys.executable, "-c", code, *arguments],
                env=os.environ | {"PYTHONPATH": str(ROOT / "reports")},
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(said.stdout.splitlines()[-2:], [status, "[]"], arguments)

    def test_every_command_has_its_function(self):
        self.assertEqual(list(COMMANDS), list(RUN))

    def test_a_package_that_cannot_be_loaded_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "pandas.py").write_text("raise ImportError('pandas is broken')")
            path = f"{folder}:{ROOT / 'reports'}"
            status, _, stderr = self.run_program("compare", "a", "b", path=path)
        self.assertEqual(status, 1)
        self.assertRegex(stderr, r"\Aspex-reports: pandas is broken \(.*\)\n\Z")

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
        with tempfile.TemporaryDirectory() as folder:
            found = read_seams(*self.write_seams(Path(folder), 20))
        self.assertEqual(found.distance.max(), 9)
        one = profile(found, 0, np.inf)
        np.testing.assert_allclose(one.apart[0], 2, rtol=1e-5)
        np.testing.assert_array_equal(one.apart[1:], 0)
        self.assertGreater(one.square[0, 0], 3)  # 1 + 2^2
        self.assertLess(abs(one.square[1, 0] - 1), 0.2)

    def test_seams_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = self.write_seams(Path(folder), 20)
            out = Path(folder) / "seams.png"
            before = sys.argv
            sys.argv = ["spexreports", "seams", "--exposure", *map(str, paths), f"--out={out}"]
            try:
                self.assertEqual(main(), 0)
                self.assert_drawn(out)
                sys.argv[3:5] = sys.argv[4:2:-1]  # exchanged
                self.assertEqual(main(), 1)
            finally:
                sys.argv = before

    def test_readme_picture(self):
        out = Path(self.folder.name) / "readme.png"
        self.assertEqual(self.run_main("readme", ["preproc", "psf", "frame"], out), 0)
        self.assert_drawn(out)
        self.assertLess(out.stat().st_size, 300_000)

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

    def test_missing_file_is_an_error(self):
        out = Path(self.folder.name) / "none.png"
        here = self.paths
        self.paths = here | {"frame": Path("no-such-frame.fits")}
        try:
            self.assertEqual(self.run_main("readme", ["preproc", "psf", "frame"], out), 1)
        finally:
            self.paths = here
        self.assertFalse(out.exists())

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

    def run_program(self, *arguments: str, path: Path | str = "reports") -> tuple[int, str, str]:
        """Status, stdout and stderr of the package, started with `PYTHONPATH=path`."""
        said = subprocess.run(
            [sys.executable, "-m", "spexreports", *arguments],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(path), "COLUMNS": "100"},
            capture_output=True,
            text=True,
            check=False,
        )
        return said.returncode, said.stdout, said.stderr

    def test_truncated_preproc_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            cut = Path(folder) / "cut.fits"
            cut.write_bytes((CASE / "preproc.fits").read_bytes()[:300_000])
            inputs = [f"--preproc={cut}"]
            inputs += [f"--{name}={self.paths[name]}" for name in ("psf", "frame")]
            more = [f"--{name}={self.paths[name]}" for name in ("model", "truth")]
            for command, arguments in (("readme", inputs), ("demo", inputs + more)):
                out = Path(folder) / command
                status, _, stderr = self.run_program(command, *arguments, f"--out={out}")
                self.assertEqual(status, 1)
                self.assertRegex(stderr, rf"\Aspex-reports: {cut}: .* \(.*\)\n\Z")


if __name__ == "__main__":
    unittest.main(verbosity=2)
