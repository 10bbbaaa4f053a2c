"""Images as specter makes them: without DESI's names, cut-outs, cameras of other instruments."""

import pickle

import numpy as np
import pytest
import spexbench
from astropy.io import fits
from specter_psfs import CCD, WRITERS

GRID = {"wavelength": (5770, 5830, 0.8)}
#: Columns 0 to 149 and rows 20 to 279 of a CCD of 200 columns and 300 rows: fibers 0 to 16 or so.
PART = (0, 150, 20, 280)
FIBERS = {"nspec": 10, "specmin": 2}


@pytest.fixture(scope="module")
def whole(night):
    return spexbench.extract(night.preproc, night.psf, **GRID, **FIBERS)


def arrays(night):
    image = spexbench.read_preproc(night.preproc)
    return image.image, image.ivar, image.mask


def write(path, image, ivar, mask=None, **header):
    """As specter writes an image."""
    first = fits.PrimaryHDU(image)
    first.header["EXTNAME"] = "CCDIMAGE"
    first.header.update(header)
    hdus = [first, fits.ImageHDU(ivar, name="IVAR")]
    if mask is not None:
        hdus.append(fits.ImageHDU(mask.astype(np.int32), name="MASK"))
    fits.HDUList(hdus).writeto(path)
    return path


def cut(array, part=PART):
    xmin, xmax, ymin, ymax = part
    return np.ascontiguousarray(array[ymin:ymax, xmin:xmax])


def same(frame, whole):
    """Pixels of the cut-out are all that these fibers have; centers are rounded differently."""
    np.testing.assert_allclose(frame.flux, whole.flux, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(frame.ivar, whole.ivar, rtol=1e-7)
    np.testing.assert_allclose(frame.resolution, whole.resolution, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(frame.mask, whole.mask)
    np.testing.assert_array_equal(frame.wave, whole.wave)


@pytest.mark.parametrize("given", [PART, list(PART), "0,150,20,280", "0, 150, 20, 280"])
def test_a_cut_out(night, whole, given):
    image = dict(zip(("image", "ivar", "mask"), map(cut, arrays(night)), strict=True))
    frame = spexbench.extract(image, night.psf, xyrange=given, model=True, **GRID, **FIBERS)
    same(frame, whole)
    assert frame.model.shape == (260, 150)


def test_a_cut_out_by_specters_header(night, whole, tmp_path):
    file = write(tmp_path / "cut.fits", *map(cut, arrays(night)), CRPIX0=0, CRPIX1=-20)
    output = tmp_path / "frame.fits"
    same(spexbench.extract(file, night.psf, output=output, **GRID, **FIBERS), whole)
    with fits.open(output) as hdus:
        assert hdus[0].header["XYRANGE"] == "0,150,20,280"
        assert "CRPIX0" not in hdus[0].header and "CRPIX1" not in hdus[0].header
    read = spexbench.read_preproc(file)
    assert read.first == (0, 20) and pickle.loads(pickle.dumps(read)).first == (0, 20)
    # The option counts more than the header.
    other = tmp_path / "other.fits"
    write(other, *map(cut, arrays(night)), CRPIX0=-1, CRPIX1=-1)
    same(spexbench.extract(other, night.psf, xyrange=PART, **GRID, **FIBERS), whole)


# CRPIX1 alone is of the world coordinates, and means nothing here.
def test_a_whole_image_of_specter(night, tmp_path):
    image, ivar, mask = arrays(night)
    expected = spexbench.extract(night.preproc, night.psf, **GRID)
    file = write(tmp_path / "image.fits", image, ivar, mask, CRPIX1=-20)
    frame = spexbench.extract(file, night.psf, **GRID)
    for name in ("flux", "ivar", "mask", "resolution"):
        np.testing.assert_array_equal(getattr(frame, name), getattr(expected, name))
    without = spexbench.extract(
        write(tmp_path / "plain.fits", image, np.where(mask == 0, ivar, 0)), night.psf, **GRID
    )
    np.testing.assert_array_equal(without.flux, expected.flux)
    assert without.meta["NOMASK"]


def test_spots_made_of_images_in_a_cut_out(tmp_path):
    """A PCA-PIX's shapes depend on the place on the whole CCD."""
    for kind, writer in WRITERS.items():
        psf = spexbench.read_psf(writer(tmp_path / f"{kind}.fits"))
        wave = np.arange(4980.0, 5120.0)
        image = spexbench.project(psf, wave, np.full((CCD.nfiber, len(wave)), 50.0), noise=2.0)
        # One patch, whose padding does not reach the cut.
        options = {"wavelength": (5030, 5070, 2), "bundlesize": 3, "nsubbundles": 1}
        options |= {"nwavestep": 21, "wavepad": 4}
        expected = spexbench.extract(image, psf, **options)
        part = (2, 61, 5, 80)
        pixels = {"image": cut(image.image, part), "ivar": cut(image.ivar, part), "mask": None}
        frame = spexbench.extract(pixels, psf, xyrange=part, **options)
        np.testing.assert_allclose(frame.flux, expected.flux, rtol=1e-6, err_msg=kind)


@pytest.mark.parametrize(
    ("part", "error", "line"),
    [
        ((0, 150, 20, 301), spexbench.UsageError, r"xyrange: 0,150,20,301 .expected a part of .*"
         r"0,200,0,300"),
        ((1, 150, 20, 280), spexbench.DataError, r"150 x 260 pixels .expected xmax - xmin x ymax - "
         r"ymin of xyrange, 149 x 260"),
        ((5, 5, 20, 280), spexbench.UsageError, "xyrange: '5,5,20,280' .expected xmin,xmax,"),
        ((0.5, 150, 20, 280), spexbench.UsageError, r"xyrange: '0\.5,150,20,280'"),
        ((0, 150), spexbench.UsageError, "xyrange: '0,150'"),
        (None, spexbench.DataError, "150 x 260 pixels .expected NPIX_X x NPIX_Y of the PSF, 200 x "
         "300; or xyrange"),
    ],
)  # fmt: skip
def test_what_is_no_cut_out(night, part, error, line):
    image = dict(zip(("image", "ivar", "mask"), map(cut, arrays(night)), strict=True))
    with pytest.raises(error, match=line) as caught:
        spexbench.extract(image, night.psf, xyrange=part, **GRID)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("offset", [3, 0.5, 1e9])
def test_offsets_that_are_none(night, tmp_path, offset):
    file = write(tmp_path / "cut.fits", *map(cut, arrays(night)), CRPIX0=offset, CRPIX1=0)
    with pytest.raises(spexbench.DataError, match=r"CRPIX0 is \S+ .expected a whole number, 0 or"):
        spexbench.extract(file, night.psf, **GRID)


def test_the_grid_of_the_psf(tmp_path):
    """A camera that is not DESI's: WAVEMIN to WAVEMAX in steps of 0.8."""
    psf = spexbench.read_psf(WRITERS["MONOSPOT"](tmp_path / "psf.fits"))
    image = spexbench.make_preproc(
        np.ones((CCD.ny, CCD.nx)), np.ones((CCD.ny, CCD.nx)), camera="red"
    )
    frame = spexbench.extract(image, psf, bundlesize=3, nsubbundles=1)
    np.testing.assert_allclose(frame.wave, CCD.wavemin + 0.8 * np.arange(126), rtol=1e-12)
