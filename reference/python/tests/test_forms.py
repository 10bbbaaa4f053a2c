"""Masked arrays, Quantities, headers and other packages' objects as inputs."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
import spexbench
from astropy import units
from astropy.io import fits
from astropy.table import Table
from astropy.utils.masked import Masked
from spexbench import extract, make_preproc
from spexbench_fixtures import TEN, assert_same

GRID = (5760, 5800, 0.8)


@pytest.fixture(scope="module")
def image(night):
    return spexbench.read_preproc(night.preproc)


def arrays_of(image, /, **others):
    return {"image": image.image, "ivar": image.ivar, "mask": image.mask} | others


@pytest.mark.parametrize("of", ["image", "ivar", "mask"])
@pytest.mark.parametrize("kind", [np.ma.MaskedArray, Masked])
def test_masked_pixels_are_not_used(night, image, of, kind):
    bad = np.zeros(image.image.shape, bool)
    bad[20:90, 30:34] = True
    expected = make_preproc(image.image, np.where(bad, 0, image.ivar), image.mask)
    ruined = np.where(bad, np.asarray(getattr(image, of)).dtype.type(77), getattr(image, of))
    masked = kind(ruined, mask=bad)
    if of != "mask":
        made = make_preproc(**{**arrays_of(image), of: masked})
        np.testing.assert_array_equal(made.ivar, expected.ivar)
    given = extract(arrays_of(image, **{of: masked}), night.psf, **TEN)
    clean = extract(expected, night.psf, **TEN)
    assert_same(given, clean) if of != "image" else np.testing.assert_array_equal(
        given.flux, clean.flux
    )
    nothing = kind(getattr(image, of), mask=np.zeros_like(bad))
    assert_same(
        extract(arrays_of(image, **{of: nothing}), night.psf, **TEN),
        extract(arrays_of(image), night.psf, **TEN),
    )


def test_gpu_specters_function_takes_masked_arrays(night, image):
    bad = np.zeros(image.image.shape, bool)
    bad[20:90, 30:34] = True
    ivar = np.where(image.mask, 0, image.ivar)
    masked = {"image": np.ma.array(image.image, mask=bad), "ivar": ivar}
    cut = {"image": image.image, "ivar": np.where(bad, 0, ivar)}
    one, two = (spexbench.extract_frame(i, night.psf, 25, 0, 5, GRID, 50, 5) for i in (masked, cut))
    np.testing.assert_array_equal(one["specflux"], two["specflux"])


def test_quantities_are_converted(night, image, ten):
    kilo = units.Unit("1000 electron")
    values = {
        "image": np.asarray(image.image, float) / 1000 * kilo,
        "ivar": np.asarray(image.ivar, float) * 1e6 / kilo**2,
        "mask": image.mask,
        "camera": "r0",
    }
    same = extract(values, night.psf, **TEN)
    np.testing.assert_allclose(same.flux, ten.flux, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(same.ivar, ten.ivar, rtol=1e-5)
    for name, unit in (("image", "adu"), ("ivar", "electron"), ("image", "")):
        wrong = {**arrays_of(image), name: np.asarray(getattr(image, name)) * units.Unit(unit)}
        with pytest.raises(spexbench.UsageError, match=rf"{name}: is in .* \(expected electron"):
            extract(wrong, night.psf, **TEN)


@pytest.mark.parametrize(
    "grid",
    [
        lambda wave: wave * units.AA,
        lambda wave: (wave * units.AA).to("nm"),
        lambda _: (576 * units.nm, 5800 * units.AA, 0.8 * units.AA),
        lambda wave: wave.tolist(),
        lambda wave: np.ma.array(wave, mask=False),
    ],
)
def test_wavelengths_with_units_and_as_lists(night, ten, grid):
    same = extract(night.preproc, night.psf, wavelength=grid(ten.wave), nspec=10)
    np.testing.assert_allclose(same.wave, ten.wave, rtol=0, atol=1e-9)
    np.testing.assert_allclose(same.flux, ten.flux, rtol=1e-6, atol=1e-6)
    theirs = spexbench.extract_frame(night.preproc, night.psf, 25, 0, 5, grid(ten.wave), 50, 5)
    np.testing.assert_allclose(theirs["wave"], ten.wave, rtol=0, atol=1e-9)


def test_a_frames_own_wavelengths(night, ten):
    assert_same(extract(night.preproc, night.psf, wavelength=ten.quantity("wave"), nspec=10), ten)


@pytest.mark.parametrize(
    ("grid", "line"),
    [
        (GRID * units.s, "wavelength: is in s .expected Angstrom"),
        (GRID * units.AA, "is not an equidistant grid"),  # an array of three
        (np.ma.array(np.linspace(5760, 5800, 51), mask=np.arange(51) == 3), "has masked elements"),
        ([5760, 5760.8, 5761.6], "has a step beyond its range .* array of three"),
        (["5760", "a", "b", "c"], "is not three numbers"),
        (7, "is not three numbers"),
    ],
)
def test_wavelengths_that_are_none(night, grid, line):
    with pytest.raises(spexbench.UsageError, match=line) as caught:
        extract(night.preproc, night.psf, wavelength=grid, nspec=10)
    assert "\n" not in str(caught.value)


def desispec_image(night, image, rows=slice(None)):
    """As desispec.image.Image: with its header and its fibermap."""
    return SimpleNamespace(
        pix=image.image,
        ivar=image.ivar,
        mask=image.mask,
        camera="r0",
        meta=fits.getheader(night.preproc, "IMAGE"),
        fibermap=Table.read(night.preproc, "FIBERMAP")[rows],
    )


def test_header_and_fibermap_of_an_object(night, image, tmp_path):
    given = desispec_image(night, image)
    extract(given, night.psf, output=tmp_path / "ours.fits", **TEN)
    extract(night.preproc, night.psf, output=tmp_path / "file.fits", **TEN)
    with fits.open(tmp_path / "ours.fits") as ours, fits.open(tmp_path / "file.fits") as file:
        assert [hdu.name for hdu in ours] == [hdu.name for hdu in file]
        different = {k for k in file[0].header if ours[0].header.get(k) != file[0].header[k]}
        assert different <= {"IN_IMG", "CHECKSUM", "DATASUM"}
        for name in ours["FIBERMAP"].columns.names:
            assert (ours["FIBERMAP"].data[name] == file["FIBERMAP"].data[name]).all()
    mapping = arrays_of(image, meta=dict(given.meta), fibermap=given.fibermap.as_array())
    assert list(extract(mapping, night.psf, **TEN).fibermap["FIBER"]) == list(range(10))
    corrected = extract(given, night.psf, barycentric_correction=True, **TEN)
    assert corrected.heliocor == pytest.approx(
        extract(night.preproc, night.psf, barycentric_correction=True, **TEN).heliocor
    )


def test_a_fibermap_without_the_fibers(night, image):
    with pytest.raises(spexbench.DataError, match="FIBERMAP has no row of fiber 3"):
        extract(desispec_image(night, image, slice(0, 3)), night.psf, **TEN)
    with pytest.raises(spexbench.UsageError, match="image: its fibermap: "):
        extract(arrays_of(image, fibermap=3), night.psf, **TEN)


def test_a_pickled_image_has_its_header(image):
    back = pickle.loads(pickle.dumps(image))
    assert (back.cards, back.fiber, back.camera) == (image.cards, image.fiber, image.camera)
    assert back.fibermap == image.fibermap


def test_open_files_and_other_objects(night):
    with fits.open(night.preproc) as file:
        with pytest.raises(spexbench.UsageError, match=r"image: '.*fits' is open .expected its n"):
            extract(file, night.psf)
        with pytest.raises(spexbench.UsageError, match=r"psf: '.*fits' is open .expected its n"):
            extract(night.preproc, file)
    with pytest.raises(spexbench.UsageError, match=r"psf: is a SimpleNamespace .expected a file"):
        extract(night.preproc, SimpleNamespace())


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match=r"none\.fits: no such file") as caught:
        spexbench.read_frame(tmp_path / "none.fits")
    assert isinstance(caught.value, spexbench.DataError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_swapped_files_are_named(night):
    with pytest.raises(spexbench.DataError, match="the two files look swapped"):
        extract(night.psf, night.preproc)
    with pytest.raises(spexbench.DataError, match="has no HDU IMAGE"):
        extract(night.psf, night.psf)


def test_reprs(night, image):
    assert repr(image) == "<Preproc r0: 300 x 200 pixels, 25 fibers>"
    assert repr(spexbench.read_psf(night.psf)).startswith("<Psf r0: 25 fibers, CCD of 300 x 200 ")


def test_progress_and_log(night, caplog):
    told = []
    with caplog.at_level("INFO", logger="spexbench"):
        extract(night.preproc, night.psf, threads=1, progress=lambda *of: told.append(of), **TEN)
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    first, last = (record.getMessage() for record in caplog.records)
    assert first == f"{night.preproc}: extracting, 4 patches"
    assert last.startswith(f"{night.preproc}: ") and last.endswith(" s")


# Four threads take a patch each. The last to end is often, but not always, one that does not call
# progress: hence four runs.
@pytest.mark.parametrize("threads", [1, 4, 4, 4, 4])
def test_progress_ends_with_all_patches(night, threads):
    options = TEN | {"threads": threads}
    told = []
    extract(night.preproc, night.psf, progress=lambda *count: told.append(count), **options)
    assert told[-1] == (4, 4)
    assert told == sorted(set(told))
    with pytest.raises(ZeroDivisionError):
        extract(night.preproc, night.psf, progress=lambda *_: 1 / 0, **options)
