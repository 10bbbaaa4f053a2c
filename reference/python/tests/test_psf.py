"""The PSF as an object, against the file's polynomials and against specter's numbers."""

import pickle

import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
import spexbench
from astropy import units
from astropy.io import fits
from numpy.polynomial import legendre
from spexbench import extract, read_psf

matplotlib.use("Agg")

#: Of specter b8490d3 for this PSF: fiber, wavelength, x, y, xsigma, ysigma, angstroms_per_pixel,
#: wavelength at row 100.25, first pixel of the spot, and four pixels of its middle row.
SPECTER = [
    (3, 5760.4, 34.587006416579456, 46.32988889247039, 1.0302411980650068, 1.110913952290437,
     0.5475797596935797, 5789.909466308528, (27, 41),
     [0.000447241025397046, 0.006116305935181223, 0.038876672993246604, 0.10697881326056088]),
    (3, 5820.0, 34.42397971539423, 155.28933938710446, 1.0303268134777603, 1.114754934157727,
     0.54643610032878, 5789.909466308528, (26, 150),
     [2.7487389500497867e-05, 0.0007215795879870104, 0.008749098529445136, 0.048958161021165306]),
    (20, 5760.4, 158.4732170217977, 33.76407230141771, 1.0278896404899558, 1.111470073607307,
     0.5474165682108311, 5796.772365227771, (150, 29),
     [2.211971772020684e-05, 0.0006229959652371196, 0.007949890248264313, 0.046667173808057204]),
    (20, 5820.0, 158.31962252829877, 142.75026354077616, 1.028139117650085, 1.1149881615804282,
     0.5463304202150894, 5796.772365227771, (150, 138),
     [3.8749787378332156e-05, 0.0009602643741487426, 0.010916418429213093, 0.05659755720275902]),
]  # fmt: skip


@pytest.fixture(scope="module")
def psf(night):
    return read_psf(night.psf)


@pytest.mark.parametrize("of", SPECTER)
def test_specters_numbers(psf, of):
    fiber, wave, x, y, across, along, height, at_row, corner, middle = of
    assert psf.x(fiber, wave) == pytest.approx(x, abs=1e-10)
    assert psf.y(fiber, wave) == pytest.approx(y, abs=1e-10)
    assert psf.sigma(fiber, wave) == pytest.approx((across, along), abs=1e-12)
    # specter has differences of rows here, and a fit to the inverse.
    assert psf.angstroms_per_pixel(fiber, wave) == pytest.approx(height, rel=1e-6)
    assert psf.wdisp(fiber, wave) == pytest.approx(along * height, rel=1e-6)
    assert psf.wavelength(fiber, 100.25) == pytest.approx(at_row, abs=1e-7)
    pixels, column, row = psf.spot(fiber, wave)
    assert (column, row) == corner
    np.testing.assert_allclose(pixels[5, 4:8], middle, rtol=0, atol=1e-12)


def test_polynomials_of_the_file(night, psf):
    wave = np.linspace(5740, 5900, 7)
    with fits.open(night.psf) as file:
        for name, found in (("XTRACE", psf.x(wave=wave)), ("YTRACE", psf.y(wave=wave))):
            low, high = (file[name].header[key] for key in ("WAVEMIN", "WAVEMAX"))
            u = 2 * (wave - low) / (high - low) - 1
            expected = legendre.legval(u, file[name].data.T)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
        table, header = file["PSF"].data, file["PSF"].header
        u = 2 * (wave - header["WAVEMIN"]) / (header["WAVEMAX"] - header["WAVEMIN"]) - 1
        rows = [name.strip() for name in table["PARAM"]]
        for name, found in zip(("GHSIGX", "GHSIGY"), psf.sigma(wave=wave), strict=True):
            expected = legendre.legval(u, table["COEFF"][rows.index(name)].T)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_wavelengths_invert_rows(psf):
    rows = np.linspace(0, 299, 31)
    wave = psf.wavelength(y=rows)
    np.testing.assert_allclose(psf.y(wave=wave), np.tile(rows, (25, 1)), rtol=0, atol=1e-9)
    h = 1e-3
    slope = (psf.y(wave=wave + h) - psf.y(wave=wave - h)) / (2 * h)
    np.testing.assert_allclose(psf.angstroms_per_pixel(wave=wave), 1 / slope, rtol=1e-6)
    assert np.isnan(psf.wavelength(3, 1e6))
    assert np.isnan(psf.x(3, 1e5)) and np.isnan(psf.wdisp(3, 1e5))


def test_shapes(psf):
    wave = np.array([5760.0, 5800, 5840])
    assert isinstance(psf.x(3, 5800.0), float)
    assert psf.x(3, wave).shape == (3,)
    assert psf.x([3, 5], 5800).shape == (2,)
    assert psf.x([3, 5], wave).shape == (2, 3)
    assert psf.x(None, wave).shape == psf.x(wave=wave).shape == (25, 3)
    own = np.array([[5760.0, 5800], [5840, 5850]])
    each = psf.y([3, 5], own)
    for row, fiber in enumerate((3, 5)):
        np.testing.assert_array_equal(each[row], psf.y(fiber, own[row]))
    pixels, x, y = psf.spot([3, 5], wave)
    assert (pixels.shape, x.shape, y.shape) == ((2, 3, 11, 17), (2, 3), (2, 3))
    np.testing.assert_array_equal(pixels[1, 2], psf.spot(5, wave[2])[0])
    np.testing.assert_allclose(pixels.sum(axis=(2, 3)), 1, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(psf.x(3, wave * units.AA), psf.x(3, (wave * units.AA).to("nm")))


def test_spots_beyond_the_ccd_have_negative_corners(psf):
    """floor, where specter's int() moves them toward 0."""
    wave = psf.wavelength(0, -20.0)
    _, _, row = psf.spot(0, wave)
    assert row == -25
    assert psf.y(0, wave) == pytest.approx(-20)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda p: p.x(25, 5800), r"fiber: 25 \(expected 0 to 24\)"),
        (lambda p: p.x(-1, 5800), "fiber: -1"),
        (lambda p: p.x(1.5, 5800), "fiber: 1.5"),
        (lambda p: p.x(3), "wave: is missing"),
        (lambda p: p.x(3, "red"), "wave: 'red'"),
        (lambda p: p.x(3, np.nan), "expected finite numbers"),
        (lambda p: p.x(3, 5800 * units.s), "wave: is in s"),
        (lambda p: p.x([3, 4], np.full((3, 2), 5800.0)), "wave: has 3 rows .expected one, or one"),
        (lambda p: p.spot(3, [5800, 1e5]), "wave: fiber 3 has no light at 100000 Angstrom"),
        (lambda p: p.plot(np.zeros((3, 4))), "image: has the shape 3 x 4 .expected 300 x 200"),
    ],
)
def test_what_has_no_place(psf, call, line):
    with pytest.raises(spexbench.UsageError, match=line) as caught:
        call(psf)
    assert "\n" not in str(caught.value)


def test_a_copy_extracts_the_same(night, psf):
    small = {"nspec": 5, "wavelength": (5760, 5776, 0.8)}
    back = pickle.loads(pickle.dumps(psf))
    assert isinstance(back, spexbench.Psf) and back.camera == "r0"
    frames = [extract(night.preproc, one, **small) for one in (night.psf, psf, back)]
    for frame in frames[1:]:
        np.testing.assert_array_equal(frame.flux, frames[0].flux)


def test_traces_over_the_image(night, psf):
    axes = psf.plot(spexbench.read_preproc(night.preproc), wave=[5800, 5820])
    assert len(axes.lines) == 25 + 25
    np.testing.assert_allclose(
        axes.lines[4].get_xdata(), psf.x(4, psf.wavelength(4, axes.lines[4].get_ydata()))
    )
    assert axes.images[0].get_array().shape == (300, 200)
    assert len(psf.plot(fibers=[3, 4]).lines) == 2
    matplotlib.pyplot.close("all")


def test_turning_traces(night, tmp_path):
    """Beyond the row where a trace turns back there is no wavelength."""
    with fits.open(night.psf) as file:
        trace = file["YTRACE"].data
        trace[:] = 0
        trace[:, :3] = [100, 80, 60]  # lowest at u = -0.44
        file.writeto(tmp_path / "psf.fits", checksum=True)
    psf = read_psf(tmp_path / "psf.fits")
    with fits.open(night.psf) as file:
        low, high = (file["YTRACE"].header[key] for key in ("WAVEMIN", "WAVEMAX"))
    turn = low + (high - low) * (1 - 80 / 180) / 2
    lowest = legendre.legval(-80 / 180, [100, 80, 60])
    assert np.isnan(psf.wavelength(0, lowest - 1))
    assert psf.wavelength(0, lowest + 1e-9) == pytest.approx(turn, abs=1e-2)
    wave = psf.wavelength(0, 150.0)
    assert wave > turn and psf.y(0, wave) == pytest.approx(150)
    assert np.isnan(psf.y(0, turn - 1))


def version_2(source, target, **changes):
    """The same PSF as one table with rows X and Y, of which `changes` change keywords."""
    with fits.open(source) as file:
        table, header = file["PSF"].data, file["PSF"].header
        low, high = header["WAVEMIN"], header["WAVEMAX"]
        traces = {}
        for name in ("XTRACE", "YTRACE"):
            own = [file[name].header[key] for key in ("WAVEMIN", "WAVEMAX")]
            degree = file[name].data.shape[1] - 1
            u = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
            wave = low + (u + 1) / 2 * (high - low)
            values = legendre.legval(2 * (wave - own[0]) / (own[1] - own[0]) - 1, file[name].data.T)
            traces[name[0]] = legendre.legfit(u, values.T, degree).T
        rows = {n.strip(): c for n, c in zip(table["PARAM"], table["COEFF"], strict=True)}
    rows = {**traces, **{n: c for n, c in rows.items() if n.startswith("GH")}}
    ncoeff = max(c.shape[1] for c in rows.values())
    nfiber = len(traces["X"])
    padded = [np.pad(c, ((0, 0), (0, ncoeff - c.shape[1]))) for c in rows.values()]
    columns = [
        fits.Column("PARAM", "8A", array=list(rows)),
        fits.Column("WAVEMIN", "D", array=np.full(len(rows), low)),
        fits.Column("WAVEMAX", "D", array=np.full(len(rows), high)),
        fits.Column(
            "COEFF", f"{nfiber * ncoeff}D", dim=f"({ncoeff},{nfiber})", array=np.array(padded)
        ),
    ]
    hdu = fits.BinTableHDU.from_columns(columns)
    for key in ("HSIZEX", "HSIZEY", "GHDEGX", "GHDEGY", "NPIX_X", "NPIX_Y"):
        hdu.header[key] = header[key]
    own = {"PSFTYPE": "GAUSS-HERMITE", "PSFVER": "2", "LEGDEG": ncoeff - 1, "CAMERA": "r0"}
    hdu.header.update({**own, "FIBERMIN": 0, "FIBERMAX": nfiber - 1, **changes})
    if "row" in changes:
        hdu.data["WAVEMAX"][list(rows).index(changes["row"])] += 1
    fits.HDUList([fits.PrimaryHDU(), hdu]).writeto(target, checksum=True)
    return target


@pytest.mark.parametrize("version", ["2", "1", 2])
def test_psfs_of_version_2(night, psf, tmp_path, version):
    """As specter's own test PSF is stored: the same spots and spectra."""
    file = version_2(night.psf, tmp_path / "psf.fits", PSFVER=version)
    old = read_psf(file)
    wave = np.linspace(5740, 5900, 9)
    np.testing.assert_allclose(old.x(wave=wave), psf.x(wave=wave), rtol=0, atol=1e-9)
    np.testing.assert_allclose(old.y(wave=wave), psf.y(wave=wave), rtol=0, atol=1e-9)
    np.testing.assert_allclose(old.sigma(wave=wave), psf.sigma(wave=wave), rtol=0, atol=1e-12)
    np.testing.assert_allclose(old.spot(wave=wave)[0], psf.spot(wave=wave)[0], rtol=0, atol=1e-9)
    small = {"nspec": 5, "wavelength": (5760, 5800, 0.8)}
    frames = [extract(night.preproc, one, **small) for one in (file, night.psf)]
    pulls = (frames[0].flux - frames[1].flux) * np.sqrt(frames[1].ivar)
    assert np.abs(pulls).max() < 1e-6


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"PSFVER": "3"}, r"PSFVER is 3 .expected 1 or 2, or 3 with HDUs XTRACE and YTRACE"),
        ({"PSFVER": "0.5"}, "PSFVER is 0.5"),
        ({"PSFTYPE": "GAUSS-HERMITE2"}, "HDU number 2 has no keyword GHDEGX2"),
        ({"FIBERMAX": -3}, "FIBERMIN = 0, FIBERMAX = -3 .expected 1 to 10000 fibers"),
        ({"FIBERMAX": 25}, "COEFF has the shape"),
        ({"GHDEGX": 9}, "has no parameter row GH-"),
        ({"row": "GHSIGY"}, "GHSIGY has other wavelengths than X"),
        ({"row": "Y"}, "Y has other wavelengths than X"),
    ],
)
def test_damaged_psfs_of_version_2(night, tmp_path, changes, line):
    file = version_2(night.psf, tmp_path / "psf.fits", **changes)
    with pytest.raises(spexbench.DataError, match=line) as caught:
        read_psf(file)
    assert str(caught.value).startswith(f"{file}: ") and "\n" not in str(caught.value)
