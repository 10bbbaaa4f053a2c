"""Extraction from files, arrays and other packages' objects; errors; concurrent threads."""

import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import spexbench
from astropy.io import fits
from spexbench import extract

BIN = Path(os.environ["SPEX_BUILD"]) / "bin"
ARRAYS = ("wave", "flux", "ivar", "mask", "resolution", "chi2pix", "pixmask_fraction")
GRID = (5760, 5800, 0.8)
SMALL = {"wavelength": GRID, "nspec": 10}


def assert_same(frame, other):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(frame, name), getattr(other, name), err_msg=name)


@pytest.fixture(scope="module")
def frame(night):
    return extract(night.preproc, night.psf, **SMALL)


def test_flux_of_the_frame_equals_spex_cpu(night, tmp_path):
    theirs = tmp_path / "theirs.fits"
    command = [BIN / "spex-cpu", "-i", night.preproc, "-p", night.psf, "-o", theirs]
    command += ["-w", "5760,5800,0.8", "-n", "10", "--flux", "frame"]
    subprocess.run(command, check=True)
    ours = tmp_path / "ours.fits"
    extract(night.preproc, night.psf, output=ours, flux="frame", **SMALL)
    assert spexbench.compare(ours, theirs, tolerance="identical")
    with pytest.raises(spexbench.UsageError, match="patch or frame"):
        extract(night.preproc, night.psf, flux="whole", **SMALL)


def test_file_equals_spex_cpu(night, tmp_path):
    ours, theirs = tmp_path / "ours.fits", tmp_path / "theirs.fits"
    model = tmp_path / "ours-model.fits"
    frame = extract(night.preproc, night.psf, output=ours, model=model, **SMALL)
    command = [BIN / "spex-cpu", "-i", night.preproc, "-p", night.psf, "-o", theirs]
    command += ["-w", "5760,5800,0.8", "-n", "10", "-m", tmp_path / "theirs-model.fits"]
    subprocess.run(command, check=True)
    assert spexbench.compare(ours, theirs, tolerance="identical")
    for file in model, tmp_path / "theirs-model.fits":
        np.testing.assert_array_equal(fits.getdata(file), frame.model)


def test_subbundles_of_the_milestone(night):
    """A bundle is one subbundle of scalar, unless another number is asked for."""
    asked = {"wavelength": (5760, 5764, 0.8), "nspec": 10}
    own = extract(night.preproc, night.psf, milestone="scalar", **asked)
    assert own.counts.patches == 1
    five = extract(night.preproc, night.psf, milestone="scalar", nsubbundles=5, **asked)
    assert five.counts.patches == 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_wavelengths_as_an_array(night, frame, dtype):
    asked = {**SMALL, "wavelength": np.linspace(5760, 5800, 51).astype(dtype)}
    assert_same(extract(night.preproc, night.psf, **asked), frame)
    whole = {**SMALL, "wavelength": np.arange(5760, 5801)}
    np.testing.assert_array_equal(
        extract(night.preproc, night.psf, **whole).wave, whole["wavelength"]
    )
    thirds = {**SMALL, "wavelength": 5760 + np.arange(31) / 3}
    wave = extract(night.preproc, night.psf, **thirds).wave
    np.testing.assert_allclose(wave, thirds["wavelength"], rtol=0, atol=1e-9)


def test_warning_for_a_frame_without_light(night, caplog):
    extract(night.preproc, night.psf, **SMALL)
    assert not caplog.records
    image = spexbench.read_preproc(night.preproc)
    for ivar in (0 * image.ivar, np.full_like(image.ivar, np.nan), -image.ivar):
        caplog.clear()
        dark = spexbench.make_preproc(image.image, ivar, image.mask, "r0")
        assert extract(dark, night.psf, **SMALL).counts.dark == 510
        [record] = caplog.records
        assert record.getMessage() == (
            "100% of 510 bins have no usable pixel: their flux and ivar are 0"
        )
        caplog.clear()
        spexbench.extract_frame(dark, night.psf, 25, 0, 10, GRID)
        assert "100% of 510 bins" in caplog.text


def test_golden(tmp_path):
    golden = Path(__file__).resolve().parents[3] / "golden"
    extract(
        golden / "tiny-b/preproc.fits",
        golden / "tiny-b/psf.fits",
        bundlesize=5,
        nsubbundles=1,
        nspec=10,
        wavelength=(3610, 3700, 0.8),
        output=tmp_path / "frame.fits",
    )
    comparison = spexbench.compare(
        tmp_path / "frame.fits",
        golden / "tiny-b/frame-tiny-b.fits",
        tolerance=f"{golden}/cases.json:tiny-b",
    )
    assert comparison, comparison.table


def test_arrays_and_their_units(frame):
    assert frame.flux.shape == frame.ivar.shape == frame.mask.shape == (10, 51)
    assert frame.resolution.shape == (10, 11, 51)
    assert frame.mask.dtype == np.uint32
    assert frame.flux.flags.writeable and frame.flux.flags.c_contiguous
    assert frame.counts.patches == 4 and frame.counts.failed == 0
    flux = frame.quantity("flux")
    assert str(flux.unit) == "electron / Angstrom"
    assert np.shares_memory(flux.value, frame.flux)
    with pytest.raises(spexbench.UsageError, match="unknown 'fluxes'"):
        frame.quantity("fluxes")


def test_units_need_astropy(frame, monkeypatch):
    monkeypatch.setitem(sys.modules, "astropy", None)
    with pytest.raises(ImportError, match=r"pip install 'spexbench\[units\]'"):
        frame.quantity("flux")


@pytest.mark.parametrize("form", ["preproc", "mapping", "object", "big-endian", "float64"])
def test_images_in_other_forms(night, frame, form):
    preproc = spexbench.read_preproc(str(night.preproc))
    image, ivar, mask = preproc.image, preproc.ivar, preproc.mask
    forms = {
        "preproc": preproc,
        "mapping": {"image": image, "ivar": ivar, "mask": mask.astype(np.int32), "camera": "r0"},
        "object": SimpleNamespace(pix=image, ivar=ivar, mask=mask, camera="R0"),
        "big-endian": {"image": image.astype(">f4"), "ivar": ivar.astype(">f4"), "mask": mask},
        "float64": {"image": image.astype(float), "ivar": ivar.astype(float), "mask": mask},
    }
    assert_same(extract(forms[form], night.psf, **SMALL), frame)
    np.testing.assert_array_equal(preproc.image, image)  # the caller's data are unchanged


@pytest.mark.parametrize("camera", ["'r0      '", " R0 "])
def test_cameras_in_quotes_and_blanks(night, frame, tmp_path, camera):
    image, psf = tmp_path / "image.fits", tmp_path / "psf.fits"
    for source, hdu, copy in ((night.preproc, "IMAGE", image), (night.psf, "PSF", psf)):
        with fits.open(source) as file:
            file[hdu].header["CAMERA"] = camera
            file.writeto(copy, checksum=True)
    same = extract(image, psf, output=tmp_path / "frame.fits", **SMALL)
    assert_same(same, frame)
    assert same.camera == "r0"
    with fits.open(tmp_path / "frame.fits") as file:
        assert file[0].header["CAMERA"] == "r0"
        assert "SUM_RAW_COUNT_R" in file["SCORES"].columns.names
    pixels = spexbench.read_preproc(night.preproc)
    arrays = {"image": pixels.image, "ivar": pixels.ivar, "mask": pixels.mask, "camera": camera}
    assert extract(arrays, psf, **SMALL).camera == "r0"


def test_psf_of_another_arm(night, tmp_path):
    with fits.open(night.psf) as file:
        file["PSF"].header["CAMERA"] = "'Z4      '"
        file.writeto(tmp_path / "psf.fits", checksum=True)
    for psf in tmp_path / "psf.fits", spexbench.read_psf(tmp_path / "psf.fits"):
        with pytest.raises(spexbench.DataError, match="is the PSF of z4"):
            extract(night.preproc, psf, **SMALL)


def test_fit_of_the_psf_is_counted_and_logged(night, frame, tmp_path, caplog):
    with fits.open(night.psf) as file:
        file["PSF"].header["B00RCHI2"] = 0.0
        file["PSF"].header["STATUS"] = 4
        names = [name.strip() for name in file["PSF"].data["PARAM"]]
        file["PSF"].data["COEFF"][names.index("TAILAMP"), 3:5, 0] = 0.01
        file.writeto(tmp_path / "psf.fits", checksum=True)
    with caplog.at_level("WARNING", logger="spexbench"):
        same = extract(night.preproc, tmp_path / "psf.fits", output=tmp_path / "f.fits", **SMALL)
    assert_same(same, frame)
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
        extract(night.preproc, tmp_path / "psf.fits", **SMALL)


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


def test_mask_rejects(night, frame):
    preproc = spexbench.read_preproc(str(night.preproc))
    mask = np.zeros(preproc.mask.shape, dtype=np.uint32)
    mask[:, 10:30] = 4
    masked = extract(
        {"image": preproc.image, "ivar": preproc.ivar, "mask": mask}, night.psf, **SMALL
    )
    zeroed = extract(
        {"image": preproc.image, "ivar": np.where(mask == 0, preproc.ivar, 0), "mask": None},
        night.psf,
        **SMALL,
    )
    assert_same(masked, zeroed)
    assert (masked.pixmask_fraction > frame.pixmask_fraction + 0.5).any()


def without_mask(path, name):
    with fits.open(path) as hdus:
        fits.HDUList([hdu for hdu in hdus if hdu.name != "MASK"]).writeto(name, checksum=True)
    return name


def test_images_without_a_mask(night, tmp_path):
    file = without_mask(night.preproc, tmp_path / "preproc-r0.fits")
    preproc = spexbench.read_preproc(night.preproc)
    image, ivar = preproc.image, preproc.ivar
    hint = r"\(expected one.*no.mask.* all pixels as good\)"
    forms = {
        f"{file}: has no HDU MASK": file,
        "image: the mapping has no mask": {"image": image, "ivar": ivar, "msk": preproc.mask},
        "image: SimpleNamespace has no mask": SimpleNamespace(pix=image, ivar=ivar),
    }
    said = extract({"image": image, "ivar": ivar, "mask": None, "camera": "r0"}, night.psf, **SMALL)
    assert any(card.startswith("NOMASK  =                    T") for card in said.header.cards)
    for line, form in forms.items():
        with pytest.raises(spexbench.Error, match=line + " " + hint):
            extract(form, night.psf, **SMALL)
        frame = extract(form, night.psf, no_mask=True, **SMALL)
        assert_same(frame, said)
    with pytest.raises(spexbench.DataError, match="no HDU MASK"):
        spexbench.read_preproc(file)
    read = spexbench.read_preproc(file, no_mask=True)
    assert not read.has_mask and not read.mask.any()
    assert_same(extract(read, night.psf, **SMALL), said)
    assert not pickle.loads(pickle.dumps(read)).has_mask
    masked = extract(night.preproc, night.psf, no_mask=True, **SMALL)  # a mask that exists counts
    assert not any(card.startswith("NOMASK") for card in masked.header.cards)
    assert_same(masked, extract(night.preproc, night.psf, **SMALL))


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
    part = {**SMALL, "specmin": 3}
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


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_mask_keeps_its_bits(night, dtype):
    preproc = spexbench.read_preproc(night.preproc)
    high = -(2**31) if dtype in (np.int32, np.int64) else 2**31
    mask = np.full(preproc.mask.shape, high, dtype=dtype)
    made = spexbench.make_preproc(preproc.image, preproc.ivar, mask)
    np.testing.assert_array_equal(made.mask, np.uint32(2**31))


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (np.int64(2**32), r"mask: holds 4294967296 \(expected 32-bit integers\)"),
        (np.int64(-(2**31) - 1), r"mask: holds -2147483649 \(expected 32-bit"),
        (np.uint64(2**63), "mask: holds 9223372036854775808"),
        (4.0, r"mask: is of float64 \(expected integers\)"),
    ],
)
def test_mask_of_invalid_numbers(night, value, line):
    preproc = spexbench.read_preproc(night.preproc)
    mask = np.zeros(preproc.mask.shape, dtype=np.asarray(value).dtype)
    mask[7, 9] = value
    with pytest.raises(spexbench.UsageError, match=line):
        spexbench.make_preproc(preproc.image, preproc.ivar, mask)
    with pytest.raises(spexbench.UsageError, match=line):
        extract({"image": preproc.image, "ivar": preproc.ivar, "mask": mask}, night.psf, **SMALL)


def path_forms(path):
    return path, str(path), os.fsencode(path)


def test_paths_in_any_form(night, frame, tmp_path):
    for preproc, psf in zip(path_forms(night.preproc), path_forms(night.psf), strict=True):
        assert spexbench.read_preproc(preproc).camera == "r0"
        assert spexbench.read_psf(psf).nfiber == 25
        assert_same(extract(preproc, psf, **SMALL), frame)
    outputs, models = path_forms(tmp_path / "f.fits"), path_forms(tmp_path / "m.fits")
    for output, model in zip(outputs, models, strict=True):
        extract(night.preproc, night.psf, output=output, model=model, **SMALL)
        assert spexbench.compare(output, frame)
        assert fits.getdata(tmp_path / "m.fits").shape == (300, 200)
        (tmp_path / "f.fits").unlink()
        (tmp_path / "m.fits").unlink()


@pytest.mark.parametrize("read", [spexbench.read_preproc, spexbench.read_psf])
def test_invalid_path(read):
    with pytest.raises(spexbench.UsageError, match="path: 3 is not a path") as caught:
        read(3)
    assert "\n" not in str(caught.value)
    with pytest.raises(spexbench.DataError, match="no-such"):
        read(Path("no-such.fits"))


def test_mask_bits_agree_with_the_command_line(night, frame):
    preproc = spexbench.read_preproc(night.preproc)
    mask = preproc.mask.copy()
    mask[:, 10:30] |= 256  # BADREADNOISE
    image = {"image": preproc.image, "ivar": preproc.ivar, "mask": mask}
    assert_same(extract(image, night.psf, mask_bits="0x2FF", **SMALL), frame)
    rejected = extract(image, night.psf, mask_bits=2**32 - 1, **SMALL)
    assert (rejected.pixmask_fraction > frame.pixmask_fraction + 0.5).any()
    for bits in "all", "1023", "0X3ff", np.int64(1023):
        assert_same(extract(image, night.psf, mask_bits=bits, **SMALL), rejected)


def test_bad2dfit_by_the_rule_of_older_productions(night):
    preproc = spexbench.read_preproc(night.preproc)
    pixels = preproc.image.copy()
    pixels[np.unravel_index(pixels.argmax(), pixels.shape)] *= 10  # a cosmic ray
    image = {"image": pixels, "ivar": preproc.ivar, "mask": preproc.mask}
    bad = {rule: extract(image, night.psf, bad2dfit=rule, **SMALL) for rule in ("relative", "chi2")}
    np.testing.assert_array_equal(bad["chi2"].mask & 128 != 0, bad["chi2"].chi2pix > 100)
    others = ~np.uint32(128)
    np.testing.assert_array_equal(bad["chi2"].mask & others, bad["relative"].mask & others)
    with pytest.raises(spexbench.UsageError, match="relative or chi2"):
        extract(image, night.psf, bad2dfit="100", **SMALL)


@pytest.mark.parametrize("bits", ["-1", -1, 2**40, "0x", "0x1FFFFFFFF", "some", 1.5])
def test_invalid_mask_bits(night, tmp_path, bits):
    with pytest.raises(spexbench.UsageError) as caught:
        extract(night.preproc, night.psf, mask_bits=bits, **SMALL)
    command = [BIN / "spex-cpu", "-i", night.preproc, "-p", night.psf, "-o", tmp_path / "f.fits"]
    said = subprocess.run(
        [*command, f"--mask-bits={bits}"], capture_output=True, text=True, check=False
    )
    assert said.returncode == caught.value.exit_status == 2
    in_python = str(caught.value).replace("mask_bits", "--mask-bits")
    assert said.stderr.splitlines()[-1] == f"spex-cpu: {in_python}"


def contents(files):
    return [file.read_bytes() for file in files]


@pytest.mark.parametrize("taken", ["preproc", "psf"])
@pytest.mark.parametrize("argument", ["output", "model"])
def test_no_input_is_overwritten(night, tmp_path, taken, argument):
    files = [tmp_path / "preproc.fits", tmp_path / "psf.fits"]
    for file, source in zip(files, (night.preproc, night.psf), strict=True):
        file.write_bytes(source.read_bytes())
    before = contents(files)
    link = tmp_path / "link.fits"
    link.symlink_to(f"{taken}.fits")
    (tmp_path / "sub").mkdir()
    for name in tmp_path / f"{taken}.fits", link, f"{tmp_path}/sub/../{taken}.fits":
        outputs = {"output": tmp_path / "frame.fits", argument: name}
        line = f"{name}: would overwrite an input (expected another name for the output)"
        with pytest.raises(spexbench.UsageError) as caught:
            extract(*files, **outputs, **SMALL)
        assert str(caught.value) == line
        # Before the PSF, for example, is read.
        with pytest.raises(spexbench.UsageError, match="would overwrite"):
            extract(*files, nsubbundles=7, **outputs, **SMALL)
    command = [BIN / "spex-cpu", "-i", files[0], "-p", files[1], "-o", files[taken == "psf"]]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.stderr == (
        f"spex-cpu: {tmp_path / taken}.fits: would overwrite an input "
        "(expected another name for the output)\n"
    )
    assert contents(files) == before
    assert not (tmp_path / "frame.fits").exists()


def test_files_in_their_other_form(night, frame, tmp_path):
    packed = tmp_path / "preproc.fits.gz"
    shutil.copy(night.preproc, packed)  # the content says whether it is compressed
    plain, output = tmp_path / "preproc.fits", tmp_path / "frame.fits"
    written = extract(plain, night.psf, output=output, **SMALL)
    assert_same(written, frame)
    assert_same(spexbench.read_frame(f"{output}.gz"), spexbench.read_frame(output))
    assert fits.getheader(output)["IN_IMG"] == str(packed)
    with pytest.raises(spexbench.UsageError, match=r"preproc\.fits\.gz: would overwrite an input"):
        extract(plain, night.psf, output=packed, **SMALL)
    for write in (
        lambda name: extract(plain, night.psf, output=name, **SMALL),
        lambda name: written.write(name),
    ):
        with pytest.raises(
            spexbench.DataError, match=r"frame\.fits\.gz: exists already as .*\.fits"
        ):
            write(f"{output}.gz")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["frame.fits", "preproc.fits.gz"]


def test_the_two_outputs_have_two_names(night, tmp_path):
    file = tmp_path / "f.fits"
    with pytest.raises(spexbench.UsageError) as caught:
        extract(night.preproc, night.psf, output=file, model=f"{tmp_path}/./f.fits", **SMALL)
    said = f"{tmp_path}/./f.fits: is the name of both outputs (expected two names)"
    assert str(caught.value) == said
    assert not file.exists()


def test_no_table_of_the_iers_is_overwritten(night, tmp_path):
    table = tmp_path / "finals.fits"
    table.write_text("0")
    arguments = {"barycentric_correction": True, "iers": table, "output": table}
    with pytest.raises(spexbench.UsageError, match=r"finals\.fits: would overwrite an input"):
        extract(night.preproc, night.psf, **arguments)
    assert table.read_text() == "0"


def test_threads_and_model(night, frame):
    one = extract(night.preproc, night.psf, threads=1, model=True, **SMALL)
    assert_same(one, frame)
    assert frame.model is None
    assert one.model.shape == (300, 200)


def test_flux_of_the_frame(night, frame):
    seamless = extract(night.preproc, night.psf, flux="frame", **SMALL)
    assert not np.array_equal(seamless.flux, frame.flux)
    np.testing.assert_array_equal(seamless.ivar, frame.ivar)
    with pytest.raises(spexbench.UsageError, match=r"flux: unknown 'all' \(expected patch or"):
        extract(night.preproc, night.psf, flux="all")


def test_barycentric_wavelengths(night, frame):
    corrected = extract(night.preproc, night.psf, barycentric_correction=True, **SMALL)
    assert 1e-6 < abs(corrected.heliocor - 1) < 1.1e-4
    np.testing.assert_array_equal(corrected.wave, frame.wave)
    observed = tuple(x / corrected.heliocor for x in GRID)
    same = extract(night.preproc, night.psf, **{**SMALL, "wavelength": observed})
    pull = (corrected.flux - same.flux) * np.sqrt(same.ivar)
    assert np.abs(pull).max() < 1e-6
    given = extract(
        night.preproc,
        night.psf,
        barycentric_correction=True,
        heliocor=corrected.heliocor,
        **SMALL,
    )
    assert_same(given, corrected)
    assert frame.heliocor == 1
    with pytest.raises(spexbench.UsageError, match="heliocor: requires a barycentric correction"):
        extract(night.preproc, night.psf, heliocor=1.0001)


def test_methods_agree(night, frame):
    other = extract(night.preproc, night.psf, method="eigh", **SMALL)
    assert not np.array_equal(other.flux, frame.flux)
    pull = np.abs(other.flux - frame.flux) * np.sqrt(frame.ivar)
    assert pull.max() < 1e-6


@pytest.mark.parametrize(
    ("arguments", "kind", "line"),
    [
        ({"specmin": 400}, spexbench.UsageError, "specmin: 400 exceeds the PSF"),
        ({"wavelength": "5760,5800"}, spexbench.UsageError, "wavelength: .* three numbers"),
        ({"wavelength": (9000, 9100, 1)}, spexbench.UsageError, "lies outside of the CCD"),
        ({"method": "svd"}, spexbench.UsageError, r"method: unknown 'svd' \(expected eigh or"),
        ({"threads": 0}, spexbench.UsageError, "threads: 0"),
        ({"model": "m.fits"}, spexbench.UsageError, "model: a file without an output"),
        ({"specmin": 2**40}, spexbench.UsageError, "specmin: 1099511627776 .* 32-bit"),
        ({"nspec": 2.5}, spexbench.UsageError, r"nspec: '2.5' \(expected an integer\)"),
        ({"psferr": "1%"}, spexbench.UsageError, r"psferr: '1%' \(expected a number\)"),
        ({"heliocor": [1]}, spexbench.UsageError, r"heliocor: \[1\] \(expected a number"),
        ({"threads": "2"}, spexbench.UsageError, r"threads: '2' \(expected an integer"),
        ({"flux": b"patch"}, spexbench.UsageError, "flux: unknown .* patch or frame"),
        ({"wavelength": np.ones((9, 99))}, spexbench.UsageError, "is not an equidistant grid"),
        ({"wavelength": np.array([5800, 5760.0])}, spexbench.UsageError, "is not an equidistant"),
        ({"wavelength": np.array([5800.0])}, spexbench.UsageError, "is a single one, without a st"),
        (
            {"wavelength": np.geomspace(5760, 5800, 51)},
            spexbench.UsageError,
            "is not an equidistant",
        ),
        ({"output": 5}, spexbench.UsageError, "output: 5 is not a path"),
        ({"output": b"\xff.fits"}, spexbench.UsageError, "output: .* is not UTF-8"),
        ({"output": "f.fits", "model": 5}, spexbench.UsageError, "model: 5 is not a path"),
        ({"output": "no/such/folder/f.fits"}, spexbench.DataError, "no/such/folder/f.fits"),
    ],
)
def test_errors(night, arguments, kind, line):
    with pytest.raises(kind, match=line) as caught:
        extract(night.preproc, night.psf, **arguments)
    assert "\n" not in str(caught.value)
    assert "--" not in str(caught.value)  # Python's names of arguments, not the programs'
    assert isinstance(caught.value, spexbench.Error)
    assert caught.value.exit_status == (2 if kind is spexbench.UsageError else 1)


def test_errors_agree_with_the_programs(night, tmp_path):
    with pytest.raises(spexbench.DataError) as caught:
        extract(night.preproc, tmp_path / "no-psf.fits")
    command = [BIN / "spex-cpu", "-i", night.preproc, "-p", tmp_path / "no-psf.fits", "-o"]
    said = subprocess.run([*command, tmp_path / "f.fits"], capture_output=True, text=True)
    assert said.returncode == caught.value.exit_status
    assert said.stderr.splitlines()[-1] == f"spex-cpu: {caught.value}"


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
        extract(image, night.psf, wavelength=GRID)


@pytest.mark.skipif(spexbench.has_gpu(), reason="there is a GPU")
def test_no_gpu(night, tmp_path):
    with pytest.raises(spexbench.DeviceError, match="gpu: ") as caught:
        extract(night.preproc, night.psf, gpu=True)
    command = [BIN / "spex-gpu", "-i", night.preproc, "-p", night.psf, "-o", tmp_path / "f.fits"]
    assert subprocess.run(command, capture_output=True).returncode == caught.value.exit_status


def test_other_threads_run_concurrently(night):
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.002):
            ticks.append(time.monotonic())

    other = threading.Thread(target=tick)
    other.start()
    start = time.monotonic()
    extract(night.preproc, night.psf, threads=1)
    end = time.monotonic()
    stop.set()
    other.join()
    gaps = np.diff([start, *(t for t in ticks if start < t < end), end])
    assert gaps.max() < 0.5 * (end - start)


def test_interrupt(night):
    timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        extract(night.preproc, night.psf, threads=1, milestone="baseline")
    timer.join()
