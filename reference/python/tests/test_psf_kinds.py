"""PSFs of specter's other kinds, against their definitions (docs/extraction.md, section 2.2)."""

import numpy as np
import pytest
import spexbench
from astropy.io import fits
from numpy.polynomial import hermite_e, legendre
from specter_psfs import CCD, WRITERS, gauss_hermite2

#: Wavelengths whose spots lie on the CCD.
WAVES = np.linspace(5018.3, 5081.7, 9)
#: The half height of a GAUSS-HERMITE2's spot, and its half width.
HALF = (7, 6)


@pytest.fixture(scope="module", params=WRITERS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def file(kind, tmp_path_factory):
    return WRITERS[kind](tmp_path_factory.mktemp("psf") / "psf.fits")


def place(s, wave):
    """The center of a spot, and u."""
    u = 2 * (wave - CCD.wavemin) / (CCD.wavemax - CCD.wavemin) - 1
    return *(legendre.legval(u, of[s]) for of in CCD.coefficients()), u


def normalized(spot):
    spot = np.maximum(spot, 0)
    return spot / spot.sum()


def of_gauss_hermite2(_file, s, wave):
    """First row and column, and the spot; integrals over pixels by quadrature."""
    x, y, u = place(s, wave)
    psf = gauss_hermite2()
    p = {name: legendre.legval(u, row[s]) for name, row in psf.rows.items()}
    rows = int(np.floor(y)) + np.arange(-HALF[0], HALF[0])
    columns = int(np.floor(x)) + np.arange(-HALF[1], HALF[1])
    nodes, weights = np.polynomial.legendre.leggauss(24)

    def integrals(pixels, center, sigma, k):
        e = (pixels[:, None] + nodes / 2 - center) / sigma
        gauss = np.exp(-(e**2) / 2) / np.sqrt(2 * np.pi)
        return (hermite_e.hermeval(e, [0] * k + [1]) * gauss) @ weights / (2 * sigma)

    def core(of, two, degx, degy):
        sum_ = np.zeros((len(rows), len(columns)))
        for i, j in np.ndindex(degx + 1, degy + 1):
            across = integrals(columns, x, p["GHSIGX" + two], i)
            along = integrals(rows, y, p["GHSIGY" + two], j)
            sum_ += p[f"{of}-{i}-{j}"] * np.outer(along, across)
        return sum_

    dx, dy = columns - x, (rows - y)[:, None]
    near = (dx / p["GHSIGX"]) ** 2 + (dy / p["GHSIGY"]) ** 2 < p["GHNSIG"] ** 2
    r2 = (dx * p["TAILXSCA"]) ** 2 + (dy * p["TAILYSCA"]) ** 2
    tail = p["TAILAMP"] * r2 / (p["TAILCORE"] ** 2 + r2) ** (1 + p["TAILINDE"] / 2)
    spot = core("GH", "", *psf.degrees[:2]) * near + core("GH2", "2", *psf.degrees[2:]) + tail
    return rows[0], columns[0], normalized(spot)


def overlaps(n, scale, center):
    """[CCD pixel, fine pixel]: the part of each fine pixel that lies on a pixel of the CCD."""
    start = np.arange(n) + (center - np.floor(center)) * scale
    edges = np.arange(n // scale + 1)[:, None] * scale
    return np.maximum(np.minimum(start + 1, edges + scale) - np.maximum(start, edges), 0)


def of_spotgrid(file, s, wave):
    """Images are interpolated, and fine pixels are squares of even light."""
    x, y, _ = place(s, wave)
    with fits.open(file) as hdus:
        slit, waves, spots = (hdus[name].data for name in ("SPOTPOS", "SPOTWAVE", "SPOTS"))
        at = hdus["FIBERPOS"].data[s]
        scale = round(hdus[0].header["CCDPIXSZ"] / hdus[0].header["PIXSIZE"])

    def weights(axis, value):
        """Those of a straight line through the two images around the value, or nearest to it."""
        k = min(max(int(np.sum(axis < value)), 1), len(axis) - 1)
        part = (value - axis[k - 1]) / (axis[k] - axis[k - 1])
        of_all = np.zeros(len(axis))
        of_all[[k - 1, k]] = 1 - part, part
        return of_all

    fine = np.einsum("p,w,pwyx->yx", weights(slit, at), weights(waves, wave), spots)
    up, right = overlaps(fine.shape[0], scale, y), overlaps(fine.shape[1], scale, x)
    spot = up @ fine @ right.T
    corner = [int(np.floor(c)) - n // 2 + 1 for c, n in zip((y, x), spot.shape, strict=True)]
    return *corner, normalized(spot)


def shifted(image, dy, dx):
    """By damped sincs, along the rows one after another, then along the columns likewise."""
    t = np.arange(-10, 11)

    def along(values, shift):
        if abs(shift) <= 1e-6:
            return values
        kernel = np.sinc(t - shift) * np.exp(-(((t - shift) / 3.25) ** 2))
        return np.convolve(values.ravel(), kernel)[10:-10].reshape(values.shape)

    return along(along(image, dx).T, dy).T


def of_monospot(file, s, wave):
    """Whole fine pixels, then sincs."""
    x, y, _ = place(s, wave)
    with fits.open(file) as hdus:
        fine, scale = hdus["SPOT"].data, hdus["SPOT"].header["SCALE"]
    (up, dy), (right, dx) = (divmod((c - np.floor(c)) * scale, 1) for c in (y, x))
    ny, nx = (n // scale + 1 for n in fine.shape)
    whole = np.zeros((ny * scale, nx * scale))
    whole[int(up) :, int(right) :][: fine.shape[0], : fine.shape[1]] = fine
    spot = shifted(whole.reshape(ny, scale, nx, scale).sum((1, 3)), dy / scale, dx / scale)
    corner = [int(np.floor(c)) - n // 2 + 1 for c, n in ((y, ny), (x, nx))]
    return *corner, normalized(spot)


def of_pca_pix(file, s, wave):
    """A polynomial of the place in images, then sincs."""
    x, y, _ = place(s, wave)
    with fits.open(file) as hdus:
        terms, of, images = hdus[3].data, hdus[4].data[s], hdus[5].data
    px, py = of["XSCALE"] * (x - of["X0"]), of["YSCALE"] * (y - of["Y0"])
    weight = px ** terms["XEXP"].astype(float) * py ** terms["YEXP"].astype(float)
    row, column = round(y), round(x)
    spot = shifted(np.einsum("t,tyx->yx", weight, images[of["IGROUP"]]), y - row, x - column)
    return row - spot.shape[0] // 2, column - spot.shape[1] // 2, normalized(spot)


EXPECTED = {
    "GAUSS-HERMITE2": of_gauss_hermite2,
    "SPOTGRID": of_spotgrid,
    "MONOSPOT": of_monospot,
    "PCA-PIX": of_pca_pix,
}


def test_spots_are_those_of_the_definition(kind, file):
    psf = spexbench.read_psf(file)
    assert psf.kind == kind
    pixels, columns, rows = psf.spot(wave=WAVES)
    assert pixels.shape == (CCD.nfiber, len(WAVES), 2 * psf.hsizey + 1, 2 * psf.hsizex + 1)
    for s, w in np.ndindex(pixels.shape[:2]):
        row, column, spot = EXPECTED[kind](file, s, WAVES[w])
        box = np.zeros(pixels.shape[2:])
        up, right = row - rows[s, w], column - columns[s, w]
        assert up >= 0 and right >= 0
        box[up : up + spot.shape[0], right : right + spot.shape[1]] = spot
        np.testing.assert_allclose(pixels[s, w], box, rtol=0, atol=1e-12)


def test_widths(kind, file):
    across, along = spexbench.read_psf(file).sigma(0, WAVES)
    assert np.isfinite(across).all() == np.isfinite(along).all() == (kind == "GAUSS-HERMITE2")


# The light of a few bins, put on the CCD and extracted again.
@pytest.mark.parametrize("flux", ["patch", "frame"])
def test_extraction(file, flux):
    psf = spexbench.read_psf(file)
    grid = (5020.0, 5078.0, 2.0)
    wave = np.arange(grid[0] - 60, grid[1] + 60, grid[2])
    rng = np.random.default_rng(3)
    light = rng.uniform(200, 400, (CCD.nfiber, len(wave)))
    image = spexbench.project(psf, wave, light, noise=2.0)
    frame = spexbench.extract(
        image, psf, wavelength=grid, bundlesize=CCD.nfiber, nsubbundles=1, flux=flux
    )
    first = round(60 / grid[2])
    inner = light[:, first : first + frame.nwave]
    inside = slice(frame.ndiag, -frame.ndiag)
    pull = ((frame.flux - frame.convolve(inner)) * np.sqrt(frame.ivar))[:, inside]
    assert np.abs(pull).max() < 4
    assert abs(pull.std() - 1) < 0.25
    assert frame.ivar.min() > 0
    assert frame.mask.max() == 0


def test_threads_and_methods_agree(file):
    psf = spexbench.read_psf(file)
    wave = np.arange(4980.0, 5120.0)
    image = spexbench.project(psf, wave, np.full((CCD.nfiber, len(wave)), 50.0), noise=2.0)

    def flux(**options):
        given = {"wavelength": (5020, 5070, 2), "bundlesize": 3, "nsubbundles": 1} | options
        return spexbench.extract(image, psf, **given).flux

    one = flux(threads=1)
    np.testing.assert_array_equal(one, flux(threads=2))
    np.testing.assert_allclose(flux(milestone="scalar"), one, rtol=1e-5)


def test_the_simulator_refuses_them(kind, file, tmp_path):
    with pytest.raises(spexbench.DataError, match=f"PSFTYPE {kind}.*GAUSS-HERMITE, which"):
        spexbench.simulate(tmp_path, psf=file)


def damaged(file, path, change):
    """The file with HDUs that `change` changed."""
    with fits.open(file) as hdus:
        copy = fits.HDUList([hdu.copy() for hdu in hdus])
        change(copy)
        copy.writeto(path, overwrite=True)
    return path


def keyword(hdu, key, value):
    def change(hdus):
        if value is None:
            del hdus[hdu].header[key]
        else:
            hdus[hdu].header[key] = value

    return change


def values(hdu, of):
    def change(hdus):
        hdus[hdu].data = of(hdus[hdu].data)

    return change


def cell(hdu, column, value, row=1):
    def change(hdus):
        hdus[hdu].data[column][row] = value

    return change


def without(hdu):
    def change(hdus):
        del hdus[hdu]

    return change


def spoiled(array):
    array = array.copy()
    array.flat[-1] = np.nan
    return array


DAMAGES = [
    ("GAUSS-HERMITE2", keyword(1, "GHDEGX2", None), "HDU number 2 has no keyword GHDEGX2"),
    ("GAUSS-HERMITE2", keyword(1, "GHDEGY2", 9), r"no parameter row GH2-0-3"),
    ("GAUSS-HERMITE2", keyword(1, "HSIZEX", 0), r"HDU number 2: HSIZEX = 0 \(expected 1 to 64\)"),
    ("GAUSS-HERMITE2", keyword(1, "PSFVER", "3"), r"PSFVER is 3 \(expected 1 or 2"),
    ("GAUSS-HERMITE2", keyword(1, "PSFTYPE", "SPOTGRID"),
     r"PSFTYPE is SPOTGRID \(expected GAUSS-HERMITE or GAUSS-HERMITE2, in a single table\)"),
    ("GAUSS-HERMITE2", keyword(1, "FIBERMAX", 3),
     r"COEFF has the shape 4 x 3 .expected LEGDEG \+ 1 x fibers, 3 x 4"),
    ("GAUSS-HERMITE2", keyword(1, "FIBERMAX", 4),
     r"HDU number 2: COEFF has 12 numbers a row, .* \(expected 1 to 31 for each of 5 fibers\)"),
    ("GAUSS-HERMITE2", cell(1, "WAVEMAX", 5200.0, 6), "GHSIGY2 has other wavelengths than X"),
    ("GAUSS-HERMITE2", cell(1, "PARAM", "TAILXXXX", 8), "no parameter row TAILCORE"),
    ("SPOTGRID", keyword(0, "PSFTYPE", "SPOTS"),
     r"PSFTYPE is SPOTS \(expected SPOTGRID or MONOSPOT or PCA-PIX, with HDUs XCOEFF and YCOEFF"),
    ("SPOTGRID", keyword(0, "PSFTYPE", None), "HDU XCOEFF has no keyword PSFTYPE"),
    ("SPOTGRID", keyword(0, "NSPEC", 4), r"XCOEFF has 3 fibers \(expected 4, NSPEC of the first"),
    ("SPOTGRID", keyword(0, "PIXSIZE", 0.0041), r"CCDPIXSZ / PIXSIZE is 3\.6.* \(expected a whole"),
    ("SPOTGRID", keyword(0, "PIXSIZE", 0.0), r"CCDPIXSZ / PIXSIZE is inf"),
    ("SPOTGRID", keyword(0, "PSFERR", -1.0), r"HDU XCOEFF: PSFERR = -1 \(expected a number >= 0"),
    ("SPOTGRID", without("SPOTS"), "has no HDU SPOTS"),
    ("SPOTGRID", without("YCOEFF"), "has no HDU YCOEFF"),
    ("SPOTGRID", values("YCOEFF", lambda a: a[:2]), "YCOEFF has 2 fibers"),
    ("SPOTGRID", keyword("YCOEFF", "WAVEMIN", 5200.0), "WAVEMIN < WAVEMAX"),
    ("SPOTGRID", values("SPOTS", lambda a: a[..., :-1]), r"images of 39 x 45 pixels, 5 to a pixel"),
    ("SPOTGRID", values("SPOTS", lambda a: a[0]), r"HDU SPOTS has the shape 40 x 45 x 4 \(expect"),
    ("SPOTGRID", values("SPOTS", spoiled), "HDU SPOTS has a number that is not finite"),
    ("SPOTGRID", values("SPOTWAVE", lambda a: a[:3]),
     r"HDU SPOTWAVE has the shape 3 \(expected 4,"),
    ("SPOTGRID", values("SPOTPOS", lambda a: a[::-1].copy()), "HDU SPOTPOS does not ascend"),
    ("SPOTGRID", values("FIBERPOS", lambda a: a[:2]),
     r"FIBERPOS has the shape 2 \(expected 3, one"),
    ("MONOSPOT", keyword("SPOT", "SCALE", None), "HDU SPOT has no keyword SCALE"),
    ("MONOSPOT", keyword("SPOT", "SCALE", 2.5), r"HDU SPOT: SCALE is 2\.5 \(expected a whole"),
    ("MONOSPOT", keyword("SPOT", "SCALE", 7),
     r"images of 36 x 40 pixels, 7 to a pixel .*multiples of 7"),
    ("MONOSPOT", values("SPOT", lambda _: np.ones((1000, 800))), "spots of 800 / 4 pixels"),
    ("MONOSPOT", values("SPOT", lambda _: np.ones((4, 2, 2))), "HDU SPOT has the shape 2 x 2 x 4"),
    ("PCA-PIX", without(5), "has 5 HDUs"),
    ("PCA-PIX", values(5, lambda a: a[..., 1:]),
     r"HDU number 6 has the shape 10 x 13 x 4 x 2 .*odd"),
    ("PCA-PIX", cell(3, "XEXP", -1), r"HDU number 4: XEXP is -1 in row 2 \(expected 0 to 20\)"),
    ("PCA-PIX", cell(4, "IGROUP", 2), r"HDU number 5: IGROUP is 2 in row 2 \(expected 0 to 1\)"),
    ("PCA-PIX", cell(4, "X0", np.nan), "HDU number 5: X0 is not finite in row 2"),
    ("PCA-PIX", values(3, lambda a: a[:3]), r"HDU number 4 has 3 rows \(expected 4, one an image"),
    ("PCA-PIX", values(4, lambda a: a[:2]), r"HDU number 5 has 2 rows \(expected 3, one a fiber"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("of", "change", "message"), DAMAGES, ids=[f"{of}-{text}" for of, _, text in DAMAGES]
)
def test_damaged_files_are_named(tmp_path, of, change, message):
    file = WRITERS[of](tmp_path / "whole.fits")
    path = damaged(file, tmp_path / "psf.fits", change)
    with pytest.raises(spexbench.DataError, match=message) as caught:
        spexbench.read_psf(path)
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)


def test_a_second_core_without_width(tmp_path):
    file = WRITERS["GAUSS-HERMITE2"](tmp_path / "whole.fits")

    def change(hdus):
        rows = list(hdus[1].data["PARAM"])
        hdus[1].data["COEFF"][rows.index("GHSIGY2")] *= -1

    psf = spexbench.read_psf(damaged(file, tmp_path / "psf.fits", change))
    with pytest.raises(spexbench.DataError, match=r"fiber 0 .* GHSIGX2 2\.\S+, GHSIGY2 -2\.\S+ "):
        psf.spot(0, 5050.0)


def test_a_trace_far_from_the_ccd(tmp_path):
    file = WRITERS["MONOSPOT"](tmp_path / "whole.fits")

    def change(hdus):
        hdus["XCOEFF"].data[1, 0] = 1e8

    psf = spexbench.read_psf(damaged(file, tmp_path / "psf.fits", change))
    with pytest.raises(spexbench.DataError, match=r"fiber 1 .* lies at pixel \(1e\+08, .*near the"):
        psf.spot(1, 5050.0)
