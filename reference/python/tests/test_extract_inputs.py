"""What is extracted of images in other forms, and of PSFs and fibermaps that are odd."""

from types import SimpleNamespace

import numpy as np
import pytest
import spexbench
from astropy.io import fits
from spexbench import extract
from spexbench_fixtures import TEN, assert_same


@pytest.mark.parametrize("form", ["preproc", "mapping", "object", "big-endian", "float64"])
def test_images_in_other_forms(night, ten, form):
    preproc = spexbench.read_preproc(str(night.preproc))
    image, ivar, mask = preproc.image, preproc.ivar, preproc.mask
    forms = {
        "preproc": preproc,
        "mapping": {"image": image, "ivar": ivar, "mask": mask.astype(np.int32), "camera": "r0"},
        "object": SimpleNamespace(pix=image, ivar=ivar, mask=mask, camera="R0"),
        "big-endian": {"image": image.astype(">f4"), "ivar": ivar.astype(">f4"), "mask": mask},
        "float64": {"image": image.astype(float), "ivar": ivar.astype(float), "mask": mask},
    }
    assert_same(extract(forms[form], night.psf, **TEN), ten)
    np.testing.assert_array_equal(preproc.image, image)  # the caller's data are unchanged


@pytest.mark.parametrize(
    ("image", "line"),
    [
        ({"ivar": np.ones((300, 200))}, "the mapping has no 'image'"),
        (
            {"image": np.ones((300, 200)), "ivar": np.ones((300, 199)), "mask": None},
            "ivar: has the shape",
        ),
        ({"image": np.ones(300), "ivar": np.ones(300), "mask": None}, "image: has 1 axes"),
        ({"image": np.ones((9, 9)), "ivar": np.ones((9, 9)), "mask": None}, "9 x 9 pixels"),
        (42, "int has no pix and ivar"),
    ],
)
def test_wrong_images(night, image, line):
    with pytest.raises(spexbench.Error, match=line):
        extract(image, night.psf, wavelength=TEN["wavelength"])


@pytest.mark.parametrize("camera", ["'r0      '", " R0 "])
def test_cameras_in_quotes_and_blanks(night, ten, tmp_path, camera):
    image, psf = tmp_path / "image.fits", tmp_path / "psf.fits"
    for source, hdu, copy in ((night.preproc, "IMAGE", image), (night.psf, "PSF", psf)):
        with fits.open(source) as file:
            file[hdu].header["CAMERA"] = camera
            file.writeto(copy, checksum=True)
    same = extract(image, psf, output=tmp_path / "frame.fits", **TEN)
    assert_same(same, ten)
    assert same.camera == "r0"
    with fits.open(tmp_path / "frame.fits") as file:
        assert file[0].header["CAMERA"] == "r0"
        assert "SUM_RAW_COUNT_R" in file["SCORES"].columns.names
    pixels = spexbench.read_preproc(night.preproc)
    arrays = {"image": pixels.image, "ivar": pixels.ivar, "mask": pixels.mask, "camera": camera}
    assert extract(arrays, psf, **TEN).camera == "r0"


def test_psf_of_another_arm(night, tmp_path):
    with fits.open(night.psf) as file:
        file["PSF"].header["CAMERA"] = "'Z4      '"
        file.writeto(tmp_path / "psf.fits", checksum=True)
    for psf in tmp_path / "psf.fits", spexbench.read_psf(tmp_path / "psf.fits"):
        with pytest.raises(spexbench.DataError, match="is the PSF of z4"):
            extract(night.preproc, psf, **TEN)


def test_fit_of_the_psf_is_counted_and_logged(night, ten, tmp_path, caplog):
    with fits.open(night.psf) as file:
        file["PSF"].header["B00RCHI2"] = 0.0
        file["PSF"].header["STATUS"] = 4
        names = [name.strip() for name in file["PSF"].data["PARAM"]]
        file["PSF"].data["COEFF"][names.index("TAILAMP"), 3:5, 0] = 0.01
        file.writeto(tmp_path / "psf.fits", checksum=True)
    with caplog.at_level("WARNING", logger="spexbench"):
        same = extract(night.preproc, tmp_path / "psf.fits", output=tmp_path / "f.fits", **TEN)
    assert_same(same, ten)
    assert (same.counts.failed_fit, same.counts.unfitted, same.counts.tails) == (10, 10, 2)
    assert spexbench.read_frame(tmp_path / "f.fits").counts == same.counts
    assert "the fit of the PSF failed for 10 fibers (STATUS)" in caplog.text
    assert "10 fibers are in bundles whose PSF was not fitted" in caplog.text
    assert "the PSF of 2 fibers has tails (TAILAMP), which are ignored" in caplog.text


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("PSFTYPE", "GAUSS-HERMITE2", "HDU PSF: PSFTYPE is GAUSS-HERMITE2"),
        ("PSFVER", "2", "HDU PSF: PSFVER is 2"),
    ],
)
def test_psf_of_another_kind(night, tmp_path, key, value, line):
    with fits.open(night.psf) as file:
        file["PSF"].header[key] = value
        file.writeto(tmp_path / "psf.fits", checksum=True)
    with pytest.raises(spexbench.DataError, match=line):
        extract(night.preproc, tmp_path / "psf.fits", **TEN)


@pytest.mark.parametrize("method", ["eigh", "cholesky"])
def test_bins_that_the_prior_pulls(night, method, caplog):
    image = spexbench.read_preproc(night.preproc)
    ivar = np.array(image.ivar)
    ivar[120, 100] = 1e5
    heavy = {"image": image.image, "ivar": ivar, "mask": image.mask}
    with caplog.at_level("WARNING", logger="spexbench"):
        frame = extract(heavy, night.psf, method=method, wavelength=(5760, 5880, 0.8))
    assert frame.counts.pulled > 300
    assert np.count_nonzero(frame.mask & 128) >= frame.counts.pulled
    assert f"the prior pulls the flux of {frame.counts.pulled} bins" in caplog.text


def test_bins_beyond_the_psf(night, caplog):
    with caplog.at_level("WARNING", logger="spexbench"):
        frame = extract(night.preproc, night.psf, wavelength=(5760, 9000, 0.8), nspec=5)
    dark = (frame.mask & 256) != 0
    assert frame.counts.beyond == np.count_nonzero(dark) > 0
    with fits.open(night.psf) as file:
        low, high = (file["YTRACE"].header[key] for key in ("WAVEMIN", "WAVEMAX"))
    np.testing.assert_array_equal(dark, np.tile(frame.wave > 2 * high - low, (5, 1)))
    assert not frame.flux[dark].any() and not frame.ivar[dark].any()
    assert "bins lie beyond the wavelengths of the PSF" in caplog.text


def test_warning_for_a_frame_without_light(night, caplog):
    extract(night.preproc, night.psf, **TEN)
    assert not caplog.records
    image = spexbench.read_preproc(night.preproc)
    for ivar in (0 * image.ivar, np.full_like(image.ivar, np.nan), -image.ivar):
        caplog.clear()
        dark = spexbench.make_preproc(image.image, ivar, image.mask, "r0")
        assert extract(dark, night.psf, **TEN).counts.dark == 510
        [record] = caplog.records
        assert record.getMessage() == (
            "100% of 510 bins have no usable pixel: their flux and ivar are 0"
        )
        caplog.clear()
        spexbench.extract_frame(dark, night.psf, 25, 0, 10, TEN["wavelength"])
        assert "100% of 510 bins" in caplog.text


def test_fibermap_rows(night, tmp_path, caplog):
    with fits.open(night.preproc) as hdus:
        hdus["IMAGE"].header["CAMERA"] = "r5"
        rows = np.repeat(hdus["FIBERMAP"].data[:1], 5000)
        rows["FIBER"] = np.arange(5000)[::-1]
        hdus["FIBERMAP"] = fits.BinTableHDU(rows, name="FIBERMAP")
        hdus.writeto(tmp_path / "preproc-r5.fits", checksum=True)
        hdus["FIBERMAP"] = fits.BinTableHDU(rows[:100], name="FIBERMAP")
        hdus.writeto(tmp_path / "few.fits", checksum=True)
    output = tmp_path / "frame.fits"
    part = {**TEN, "specmin": 3}
    extract(tmp_path / "preproc-r5.fits", night.psf, output=output, **part)
    assert list(fits.getdata(output, "FIBERMAP")["FIBER"]) == list(range(2503, 2513))
    assert fits.getheader(output)["FIBERMIN"] == 2503
    again = tmp_path / "again.fits"
    spexbench.read_frame(output).write(again)
    assert (fits.getdata(again, "FIBERMAP") == fits.getdata(output, "FIBERMAP")).all()
    with pytest.raises(spexbench.DataError, match=r"few\.fits: FIBERMAP has no row of fiber 2503"):
        extract(tmp_path / "few.fits", night.psf, **part)
    assert not caplog.records
    extract(tmp_path / "few.fits", night.psf, output=output, fibermap_by_row=True, **part)
    assert list(fits.getdata(output, "FIBERMAP")["FIBER"]) == list(range(4996, 4986, -1))
    assert "10 spectra have the FIBERMAP row of another fiber" in caplog.text
    assert fits.getheader(output)["NFIBDIFF"] == 10
