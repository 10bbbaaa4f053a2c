"""Files of spex-sim as astropy reads them, and as DESI's pipeline writes them.

usage: test_by_astropy.py spex-sim
"""

import subprocess
import sys
import tempfile
import unittest
import warnings
import zlib
from pathlib import Path

import numpy as np
from astropy.io import fits

PROGRAM = sys.argv.pop(1)
NAME = "preproc-r0-00000001.fits"


def simulate(folder: Path, *options: str) -> None:
    """Camera r0, 25 fibers on 300 rows."""
    command = [PROGRAM, "-o", folder, "--size", "tiny", "--loglevel", "error", *options]
    subprocess.run(command, check=True)


def written_by_astropy(mask: np.ndarray, path: Path) -> fits.Header:
    """The header of a compressed mask as desispec makes it."""
    hdus = [fits.PrimaryHDU(), fits.CompImageHDU(mask.astype(np.int16), name="MASK")]
    fits.HDUList(hdus).writeto(path, checksum=True)
    return header_as_table(path)


def header_as_table(path: Path) -> fits.Header:
    """The header of MASK as it is in the file."""
    with fits.open(path, disable_image_compression=True) as file:
        return file["MASK"].header


class Files(unittest.TestCase):
    """The files of one simulation, with images in each form."""

    @classmethod
    def setUpClass(cls) -> None:
        """Simulates them."""
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        for form in ("none", "gz", "fz"):
            simulate(cls.folder / form, "--compress", form)
        cls.files = {
            form: next((cls.folder / form).glob("preproc-*")) for form in ("none", "gz", "fz")
        }

    @classmethod
    def tearDownClass(cls) -> None:
        """Removes them."""
        cls.scratch.cleanup()

    def test_checksums(self) -> None:
        """Astropy warns of a checksum that is wrong."""
        files = [*self.files.values(), *(self.folder / "none").glob("*.fits")]
        self.assertEqual(len(files), 6)
        for path in files:
            with (
                self.subTest(path.name),
                warnings.catch_warnings(),
                fits.open(path, checksum=True, disable_image_compression=True) as file,
            ):
                warnings.simplefilter("error")
                for hdu in file:
                    self.assertTrue(hdu.verify_checksum() == hdu.verify_datasum() == 1, hdu.name)

    def test_hdus_are_those_of_desispec(self) -> None:
        """Names, types, and MASK as the only compressed image, with the same bytes."""
        with fits.open(self.files["none"]) as file:
            names = ["IMAGE", "IVAR", "MASK", "READNOISE", "FIBERMAP"]
            self.assertEqual([hdu.name for hdu in file], names)
            kinds = {hdu.name: hdu.data.dtype.name for hdu in file[:4]}
            self.assertEqual(
                kinds,
                {"IMAGE": "float32", "IVAR": "float32", "MASK": "int16", "READNOISE": "float32"},
            )
            self.assertIsInstance(file["MASK"], fits.CompImageHDU)
            packed = [hdu.name for hdu in file if isinstance(hdu, fits.CompImageHDU)]
            self.assertEqual(packed, ["MASK"])
            ours = header_as_table(self.files["none"])
            theirs = written_by_astropy(file["MASK"].data, self.folder / "mask.fits")
        keys = {key for key in theirs if key.startswith("Z")}
        self.assertEqual({key for key in ours if key.startswith("Z")}, keys)
        for key in [*sorted(keys), "XTENSION", "NAXIS2", "TTYPE1", "TFORM1", "DATASUM"]:
            self.assertEqual(ours[key], theirs[key], key)

    def test_gzip_is_one_member(self) -> None:
        """With the bytes of the plain file."""
        member = zlib.decompressobj(wbits=31)
        content = member.decompress(self.files["gz"].read_bytes())
        self.assertTrue(member.eof)
        self.assertEqual(member.unused_data, b"")
        self.assertEqual(content, self.files["none"].read_bytes())

    def test_level_is_chosen(self) -> None:
        """Sizes are those of zlib's own streams."""
        sizes = {9: self.files["gz"].stat().st_size}
        for level in (1, 6):
            folder = self.folder / f"level-{level}"
            simulate(folder, "--compress", "gz", "--compress-level", str(level))
            sizes[level] = (folder / f"{NAME}.gz").stat().st_size
            compressor = zlib.compressobj(level, wbits=31)
            whole = self.files["none"].read_bytes()
            own = len(compressor.compress(whole)) + len(compressor.flush())
            self.assertAlmostEqual(sizes[level] / own, 1, delta=1e-3)
        self.assertGreater(sizes[1], sizes[9])

    def test_forms_hold_the_same(self) -> None:
        """Every HDU of .gz and .fz has the data of the plain file."""
        with fits.open(self.files["none"]) as plain:
            for form in ("gz", "fz"):
                with fits.open(self.files[form]) as other:
                    for name in ("IMAGE", "IVAR", "MASK", "READNOISE", "FIBERMAP"):
                        a, b = plain[name].data, other[name].data
                        self.assertTrue(
                            a.dtype.name == b.dtype.name and (a == b).all(), (form, name)
                        )

    def test_read_noise_is_that_of_the_amplifiers(self) -> None:
        """Over a flat with a spread of 1%, in parts that cover the CCD once."""
        with fits.open(self.files["none"]) as file:
            header, noise = file["IMAGE"].header, file["READNOISE"].data
        found = np.zeros_like(noise)
        for amplifier in "ABCD":
            columns, rows = header[f"CCDSEC{amplifier}"].strip("[]").split(",")
            (x0, x1), (y0, y1) = (map(int, part.split(":")) for part in (columns, rows))
            flat = header[f"OBSRDN{amplifier}"] / noise[y0 - 1 : y1, x0 - 1 : x1]
            self.assertAlmostEqual(flat.mean(), 1, delta=1e-3)
            self.assertAlmostEqual(flat.std(), 0.01, delta=1e-3)
            found[y0 - 1 : y1, x0 - 1 : x1] += 1
        self.assertTrue((found == 1).all())
        self.assertNotIn("RDNOISE", header)  # desispec writes it without READNOISE


if __name__ == "__main__":
    unittest.main()
