#!/usr/bin/env python3
"""Tests of gpu_specter's files in ci/peer-bench, by a pretended one; status 77 without astropy."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
try:
    import numpy as np
    from astropy.io import fits
    from astropy.table import Table
except ImportError as error:
    print(f"skipped: {error} (ci/venv installs it)")
    sys.exit(77)

PEER = Path(__file__).resolve().parents[1] / "peer"
# Its frame shows what it was given: the image, the traces, PSFERR and WAVEMIN.
PRETENDED = """import argparse
import fitsio
import numpy as np
read_img = read_psf = write_frame = None
def parse():
    return argparse.Namespace(mpi=False, use_gpu=False)
def main_gpu_specter(args, comm):
    image, psf = read_img("image.fits"), read_psf("psf.fits")
    assert image["image"].dtype == image["ivar"].dtype == psf["XTRACE"]["X"].dtype == np.float64
    quality = np.array([psf["PSF"].meta["PSFERR"], psf["YTRACE"].meta["WAVEMIN"]])
    frame = {"specflux": image["image"], "specivar": image["ivar"], "specmask": image["mask"]}
    frame |= {"wave": np.arange(3.0), "Rdiags": psf["XTRACE"]["X"].data, "chi2pix": quality}
    write_frame("frame.fits", frame | {"fibermap": image["fibermap"]})
"""


class Files(unittest.TestCase):
    """What gpu_specter reads and writes without fitsio, and what is compared of its frame."""

    def setUp(self):
        """A folder."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)

    def test_without_fitsio(self):
        """A pretended gpu_specter gets pixels, traces and PSFERR, and its frame is compared."""
        package = self.path / "gpu_specter"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "spex.py").write_text(PRETENDED)
        image = np.arange(6, dtype="f4").reshape(2, 3)
        mask = np.array([[0, 256, 0], [0, 0, 1]], dtype="i4")
        fibers = fits.BinTableHDU(np.array([(7,)], dtype=[("FIBER", "i4")]), name="FIBERMAP")
        named = [(image, "IMAGE"), (image + 1, "IVAR"), (mask, "MASK")]
        hdus = [fits.ImageHDU(values, name=name) for values, name in named]
        fits.HDUList([fits.PrimaryHDU(), *hdus, fibers]).writeto(self.path / "image.fits")
        traces = []
        for name in ("XTRACE", "YTRACE"):
            traces.append(fits.ImageHDU(image, name=name))
            traces[-1].header.update(WAVEMIN=3500.0, WAVEMAX=6000.0)
        table = fits.table_to_hdu(Table({"COEFF": image}))
        table.name = "PSF"
        fits.HDUList([fits.PrimaryHDU(), *traces, table]).writeto(self.path / "psf.fits")
        blocked = f"import sys; sys.path.insert(0, {str(PEER)!r}); import importlib.util, spex\n"
        blocked += "importlib.util.find_spec = lambda name: None\nspex.main()"
        environment = os.environ | {"PYTHONPATH": str(self.path)}
        command = [sys.executable, "-c", blocked]
        subprocess.run(command, cwd=self.path, env=environment, check=True)
        command = [sys.executable, f"{PEER}/inside.py", "golden", "frame.fits", "golden.fits"]
        subprocess.run(command, cwd=self.path, env=environment, check=True)
        with fits.open(self.path / "golden.fits") as found:
            names = ["PRIMARY", "FLUX", "IVAR", "WAVELENGTH", "RESOLUTION", "CHI2PIX"]
            self.assertEqual([hdu.name for hdu in found], names)
            np.testing.assert_array_equal(found["FLUX"].data, image)
            np.testing.assert_array_equal(found["IVAR"].data, [[1, 0, 3], [4, 5, 0]])
            np.testing.assert_array_equal(found["RESOLUTION"].data, image)
            np.testing.assert_array_equal(found["CHI2PIX"].data, np.float32([0.01, 3500.0]))
            self.assertEqual(found["FLUX"].data.dtype.itemsize, 4)
            self.assertEqual(found["WAVELENGTH"].data.dtype.itemsize, 8)


if __name__ == "__main__":
    unittest.main()
