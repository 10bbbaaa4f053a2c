"""Files of a small frame, for tests of what is drawn and derived from it."""

import atexit
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path

import numpy as np
from astropy.io import fits

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))

from spexreports.figures import style  # noqa: E402
from spexreports.results import frames as files  # noqa: E402
from spexreports.results.truth import apply_resolution  # noqa: E402

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


@cache
def frame_files() -> dict[str, Path]:
    """The files, made once."""
    folder = tempfile.TemporaryDirectory(prefix="spexreports-")
    atexit.register(folder.cleanup)
    return write_inputs(Path(folder.name))


class FrameTest(unittest.TestCase):
    """A test of the frame, with a folder for what it writes."""

    @classmethod
    def setUpClass(cls):
        cls.paths = frame_files()
        cls.frame = files.read_frame(cls.paths["frame"])

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="spexreports-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def files_of(self, *names: str) -> list[str]:
        """The options that name these files."""
        return [f"--{name}={self.paths[name]}" for name in names]

    def assert_drawn(self, path: Path):
        """The picture exists, and no quarter of it is blank."""
        picture = style.plt.imread(path)[:, :, :3].mean(axis=2)
        height, width = picture.shape
        self.assertGreater(min(height, width), 300)
        for rows in (slice(0, height // 2), slice(height // 2, height)):
            for columns in (slice(0, width // 2), slice(width // 2, width)):
                self.assertGreater(np.mean(picture[rows, columns] < 0.95), 0.01, path.name)
