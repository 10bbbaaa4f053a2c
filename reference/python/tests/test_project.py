"""Spectra onto the CCD: as specter puts them there, and as spex-sim does."""

import numpy as np
import pytest
import spexbench
from astropy import units
from astropy.io import fits
from astropy.table import Column, MaskedColumn, Table
from spexbench import extract, project, read_psf

#: Of specter b8490d3, psf.project, for two bins of the fibers 3 and 4: row, column, electrons.
SPECTER = [
    (46, 34, 1.0697881326135863),
    (155, 35, 2.2214898636762936),
    (44, 43, 0.901510505599023),
    (155, 41, 3.813246417167739),
]


@pytest.fixture(scope="module")
def psf(night):
    return read_psf(night.psf)


@pytest.fixture(scope="module")
def truth(night):
    return spexbench.read_truth(night.truth)


def test_specters_numbers(psf, caplog):
    image = project(psf, [5760.4, 5820.0], [[10.0, 20], [30, 40]], per_bin=True, specmin=3)
    for row, column, electrons in SPECTER:
        assert image[row, column] == pytest.approx(electrons, abs=1e-11)
    assert image.sum() == pytest.approx(100, abs=1e-9)
    assert "neighbors are up to 109" in caplog.text


def test_the_sum_of_spots(psf):
    """Bins of different fibers, each with its own wavelengths."""
    wave = np.array([[5780.0, 5800], [5790, 5830.5]])
    electrons = np.array([[3.0, 5], [7, 11]])
    expected = np.zeros((psf.npix_y, psf.npix_x))
    for f in range(2):
        for w in range(2):
            pixels, x, y = psf.spot(6 + f, wave[f, w])
            expected[y : y + 11, x : x + 17] += electrons[f, w] * pixels
    image = project(psf, wave, electrons, per_bin=True, specmin=6, threads=1)
    np.testing.assert_allclose(image, expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(image, project(psf, wave, electrons, per_bin=True, specmin=6))


def test_it_is_the_simulators_image(night, psf, truth):
    """Up to its noise and its rounding: chi2 of unused pixels aside."""
    expected = project(psf, truth.wave, truth.flux)
    preproc = spexbench.read_preproc(night.preproc)
    good = preproc.mask == 0
    pulls = ((preproc.image - expected) * np.sqrt(preproc.ivar))[good]
    assert abs(pulls.std() - 1) < 0.02
    variance = 1 / preproc.ivar[good]
    np.testing.assert_allclose(np.corrcoef(variance, expected[good])[0, 1], 1, rtol=0, atol=1e-3)


def test_units_say_what_a_flux_is(psf, truth):
    wave, flux = truth.wave, truth.flux[:2]
    image = project(psf, wave, flux)
    step = wave[1] - wave[0]
    for same in (
        project(psf, wave * units.AA, flux * units.Unit("electron / Angstrom")),
        project(psf, (wave * units.AA).to("nm"), flux * 10 * units.Unit("electron / nm")),
        project(psf, wave, flux * step * units.electron),
        project(psf, wave, flux * step, per_bin=True),
        project(psf, wave[::-1], flux[:, ::-1]),
        project(psf, Column(wave / 10, unit="nm"), Column(flux, unit="electron / Angstrom")),
        project(psf, wave, MaskedColumn(flux * step, unit="electron")),
    ):
        np.testing.assert_allclose(same, image, rtol=1e-9, atol=1e-9)


def test_masked_columns_are_refused(psf):
    for unit in (None, "electron", "electron / Angstrom"):
        flux = MaskedColumn([1.0, 2], mask=[True, False], unit=unit)
        with pytest.raises(spexbench.UsageError, match=r"flux: .* has masked elements"):
            project(psf, [5780.0, 5790.0], flux)


def test_light_beyond_the_psf_is_lost(psf):
    wave = np.array([5780.0, 9000.0, 1e6])
    image = project(psf, wave, [1.0, 1, 1], per_bin=True)
    assert image.sum() == pytest.approx(1, abs=1e-12)


def test_noise(psf, truth):
    preproc = project(psf, truth.wave, truth.flux, noise=3.0)
    again = project(psf, truth.wave, truth.flux, noise=3.0, threads=1)
    other = project(psf, truth.wave, truth.flux, noise=3.0, seed=2)
    np.testing.assert_array_equal(preproc.image, again.image)
    assert (preproc.image != other.image).any()
    expected = project(psf, truth.wave, truth.flux)
    np.testing.assert_allclose(preproc.ivar, 1 / (expected + 9), rtol=1e-12)
    frame = extract(preproc, psf, wavelength=(5760, 5840, 0.8))
    inner = slice(frame.ndiag, -frame.ndiag)
    pulls = (frame.flux - frame.convolve(truth.at(frame))) * np.sqrt(frame.ivar)
    assert abs(pulls[:, inner].std() - 1) < 0.06
    assert frame.camera == "r0"


def test_the_model_image_of_a_frame(night, psf):
    """What was extracted, put back: the model of the extraction, within the bins of the frame."""
    frame = extract(night.preproc, psf, wavelength=(5760, 5840, 0.8), model=True)
    flux = np.where(frame.mask == 0, frame.flux, 0)
    image = project(psf, frame.wave, flux)
    inside = (image > 5) & (frame.model > 5)
    assert inside.sum() > 3000
    # Of R f here, of f there: alike where the spectra are smooth.
    assert np.median(np.abs(image[inside] / frame.model[inside] - 1)) < 0.1


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (([5780, 5790], [[1.0, 2, 3]]), "flux: has 3 wavelengths .expected 2, those of wave"),
        ((np.full((2, 2), 5780.0), np.ones((3, 2))), "wave: has 2 rows .expected one, or 3"),
        (([5780], [1.0]), "wave: is a single wavelength"),
        (([5780, 5790], np.ones((26, 2))), "specmin: 0 and 26 spectra exceed the PSF"),
        (([5780, np.nan], [1.0, 2]), "wave: has a value that is not finite"),
        (([5780, 5790], ["a", "b"]), "flux: is not an array of numbers"),
        (([5780, 5790], np.ones((1, 1, 2))), "flux: has the shape 1 x 1 x 2"),
        (([5780, 5790], [1, 2] * units.m), "flux: is in m .expected electron / Angstrom"),
        (([5780, 5790] * units.m / units.s, [1, 2]), "wave: is in m / s"),
    ],
)
def test_what_is_no_spectrum(psf, arguments, line):
    with pytest.raises(spexbench.UsageError, match=line) as caught:
        project(psf, *arguments)
    assert "\n" not in str(caught.value)


def test_noise_of_what_cannot_be(psf):
    with pytest.raises(spexbench.UsageError, match="flux: is negative somewhere"):
        project(psf, [5780, 5781], [-1.0, -1], noise=3)
    with pytest.raises(spexbench.UsageError, match=r"noise: 0 .expected read noise"):
        project(psf, [5780, 5781], [1.0, 1], noise=0)


def test_simulated_spectra_of_a_file(night, tmp_path):
    [first] = spexbench.simulate(tmp_path, size="tiny", spectra=night.truth, expid=2)
    expected = spexbench.read_truth(night.truth)
    again = spexbench.read_truth(first.truth)
    np.testing.assert_array_equal(again.flux, expected.flux)
    with pytest.raises(spexbench.UsageError, match="spectra: spectra for 2 cameras"):
        spexbench.simulate(tmp_path, cameras="b0,r0", spectra=night.truth)


@pytest.fixture
def table(psf, truth):
    """Spectra of 25 fibers, each at wavelengths of its own in unequal steps."""
    rng = np.random.default_rng(5)
    inner = np.sort(rng.uniform(truth.wave[0], truth.wave[-1], (psf.nfiber, 90)), axis=1)
    ends = np.tile(truth.wave[[0, -1]], (psf.nfiber, 1))
    wave = np.concatenate([ends[:, :1], inner, ends[:, 1:]], axis=1)
    return Table({"WAVELENGTH": wave, "FLUX": 50 + rng.uniform(0, 20, wave.shape)})


def test_a_table_of_spectra(psf, truth, table, tmp_path):
    """As a file, a table, a mapping and arrays; spex-sim resamples it to its own steps."""
    file = tmp_path / "spectra.fits"
    table["WAVELENGTH"].unit, table["FLUX"].unit = "Angstrom", "electron / Angstrom"
    table.write(file)
    wave, flux = np.array(table["WAVELENGTH"]), np.array(table["FLUX"])
    expected = project(psf, wave, flux)
    for given in (file, str(file), table, {"WAVELENGTH": wave, "FLUX": flux}):
        np.testing.assert_array_equal(project(psf, given), expected)
    np.testing.assert_array_equal(project(psf, night_truth(truth, tmp_path)),
                                  project(psf, truth.wave, truth.flux))  # fmt: skip
    [made] = spexbench.simulate(tmp_path, size="tiny", spectra=file, expid=3)
    with fits.open(made.truth) as hdus:
        bins, means = hdus["WAVELENGTH"].data, hdus["FLUX"].data
    step = bins[1] - bins[0]
    assert step == pytest.approx(0.4)
    for s in range(psf.nfiber):
        # The mean of the lines over a bin, by the lines at many points of it.
        for w in (0, 57, 120, len(bins) - 1):
            at = bins[w] + step * ((np.arange(20000) + 0.5) / 20000 - 0.5)
            mean = np.interp(at, wave[s], flux[s], left=0, right=0).mean()
            assert means[s, w] == pytest.approx(mean, rel=1e-4)
        # No light is lost but that beyond the bins at the ends.
        whole = np.trapezoid(flux[s], wave[s])
        assert means[s].sum() * step == pytest.approx(whole, rel=1e-6, abs=70 * 0.8)


def night_truth(truth, folder):
    """A table of equal steps: the truth's."""
    count = len(truth.flux)
    rows = {"WAVELENGTH": np.tile(truth.wave, (count, 1)), "FLUX": np.float64(truth.flux)}
    Table(rows).write(folder / "equal.fits")
    return folder / "equal.fits"


def test_a_table_of_equal_steps_stays(truth, tmp_path):
    file = night_truth(truth, tmp_path)
    [made] = spexbench.simulate(tmp_path, size="tiny", spectra=file, expid=4, on_grid=True)
    again = spexbench.read_truth(made.truth)
    np.testing.assert_array_equal(again.flux, truth.flux)
    np.testing.assert_array_equal(again.wave, truth.wave)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda t: t.remove_column("FLUX"), "has no column FLUX"),
        (lambda t: t.rename_column("WAVELENGTH", "WAVE"), "has no column WAVELENGTH"),
        (lambda t: t.replace_column("FLUX", t["FLUX"][:, 1:]),
         "WAVELENGTH has 92 numbers a row, FLUX 91"),
        (lambda t: setattr(t["FLUX"], "unit", "erg / (s cm2 Angstrom)"),
         r"HDU number 2: FLUX is in .* \(expected electron/Angstrom\)"),
        (lambda t: setattr(t["WAVELENGTH"], "unit", "nm"), r"WAVELENGTH is in nm .expected Angst"),
        (lambda t: t["WAVELENGTH"].__setitem__((2, 5), 1.0),
         "WAVELENGTH does not ascend in row 3"),
        (lambda t: t["WAVELENGTH"].__setitem__((1, 5), np.nan), "does not ascend in row 2"),
        (lambda t: t["FLUX"].__setitem__((2, 7), -1.0), "FLUX is -1 in spectrum 2, bin 7"),
        (lambda t: t.remove_rows(slice(None)), "0 rows of 92 wavelengths"),
    ],
)  # fmt: skip
def test_what_is_no_table_of_spectra(psf, table, tmp_path, change, line):
    file = tmp_path / "spectra.fits"
    change(table)
    table.write(file)
    for use in (lambda: project(psf, file),
                lambda: spexbench.simulate(tmp_path, size="tiny", spectra=file)):  # fmt: skip
        with pytest.raises(spexbench.DataError, match=line) as caught:
            use()
        assert str(caught.value).startswith(f"{file}: ") and "\n" not in str(caught.value)


def test_a_table_of_too_few_fibers(table, tmp_path):
    table[:7].write(tmp_path / "spectra.fits")
    with pytest.raises(spexbench.DataError, match=r"has 7 spectra .expected 25"):
        spexbench.simulate(tmp_path, size="tiny", spectra=tmp_path / "spectra.fits")


def test_wavelengths_alone_are_no_spectra(psf):
    with pytest.raises(spexbench.UsageError, match=r"flux: is missing .*a table with the columns"):
        project(psf, [5780.0, 5790.0])
