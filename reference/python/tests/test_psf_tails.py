"""Tails of a GAUSS-HERMITE PSF, against their definition (docs/extraction.md, section 2.3)."""

import numpy as np
import pytest
import spexbench
from astropy.io import fits
from numpy.polynomial import hermite_e, legendre

TAIL = {"TAILAMP": 2e-3, "TAILCORE": 1.2, "TAILXSCA": 0.9, "TAILYSCA": 1.1, "TAILINDE": 1.8}
GRID = (5760.0, 5820.0, 0.8)


@pytest.fixture(scope="module")
def tailed(night, tmp_path_factory):
    """The night's PSF with tails of all fibers but one."""
    path = tmp_path_factory.mktemp("tails") / "psf.fits"
    with fits.open(night.psf) as hdus:
        table = hdus["PSF"].data
        names = [name.strip() for name in table["PARAM"]]
        for name, value in TAIL.items():
            table["COEFF"][names.index(name), :, 0] = value
        table["COEFF"][names.index("TAILAMP"), :, 1] = 2e-4
        table["COEFF"][names.index("TAILAMP"), 7] = 0
        hdus.writeto(path, checksum=True)
    return path


@pytest.fixture(scope="module")
def psf(tailed):
    return spexbench.read_psf(tailed).with_tails()


def expected_spot(tailed, psf, fiber, wave):
    """The spot in its box; integrals over pixels by quadrature."""
    with fits.open(tailed) as hdus:
        header, table = hdus["PSF"].header, hdus["PSF"].data
        names = [name.strip() for name in table["PARAM"]]
        low, high = header["WAVEMIN"], header["WAVEMAX"]
        u = 2 * (wave - low) / (high - low) - 1
        p = {name: legendre.legval(u, table["COEFF"][k, fiber]) for k, name in enumerate(names)}
        degrees = header["GHDEGX"], header["GHDEGY"]
    x, y = psf.x(fiber, wave), psf.y(fiber, wave)
    columns = np.floor(x - psf.hsizex + 0.5) + np.arange(2 * psf.hsizex + 1)
    rows = np.floor(y - psf.hsizey + 0.5) + np.arange(2 * psf.hsizey + 1)
    nodes, weights = legendre.leggauss(24)

    def integrals(pixels, center, sigma, k):
        e = (pixels[:, None] + nodes / 2 - center) / sigma
        gauss = np.exp(-(e**2) / 2) / np.sqrt(2 * np.pi)
        return (hermite_e.hermeval(e, [0] * k + [1]) * gauss) @ weights / (2 * sigma)

    spot = np.zeros((len(rows), len(columns)))
    for i, j in np.ndindex(degrees[0] + 1, degrees[1] + 1):
        across = integrals(columns, x, p["GHSIGX"], i)
        along = integrals(rows, y, p["GHSIGY"], j)
        spot += p[f"GH-{i}-{j}"] * np.outer(along, across)
    r2 = ((columns - x) * p["TAILXSCA"]) ** 2 + ((rows - y)[:, None] * p["TAILYSCA"]) ** 2
    spot += p["TAILAMP"] * r2 / (p["TAILCORE"] ** 2 + r2) ** (1 + p["TAILINDE"] / 2)
    return np.maximum(spot, 0) / np.maximum(spot, 0).sum()


def test_spots_are_those_of_the_definition(tailed, psf):
    assert psf.kind == "GAUSS-HERMITE with tails"
    without = spexbench.read_psf(tailed)
    assert without.kind == "GAUSS-HERMITE"
    for fiber, wave in [(0, 5770.3), (7, 5800.0), (20, 5811.9)]:
        spot = psf.spot(fiber, wave)[0]
        np.testing.assert_allclose(
            spot, expected_spot(tailed, psf, fiber, wave), rtol=0, atol=1e-12
        )
        moved = np.abs(spot - without.spot(fiber, wave)[0]).max()
        assert (moved < 1e-12) == (fiber == 7)


# A faint fiber beside a bright one gets the light of the bright one's tail, unless tails are used.
@pytest.mark.parametrize("flux", ["patch", "frame"])
def test_extraction(tailed, psf, flux, tmp_path):
    wave = np.arange(GRID[0] - 40, GRID[1] + 40, GRID[2])
    light = np.full((psf.nfiber, len(wave)), 50.0)
    light[3::5] = 30000
    image = spexbench.project(psf, wave, light, noise=1.0, seed=5)
    options = {"wavelength": GRID, "flux": flux}
    used = spexbench.extract(image, tailed, psf_tails="on", **options, output=tmp_path / "f.fits")
    ignored = spexbench.extract(image, tailed, **options)
    faint = np.arange(psf.nfiber) % 5 == 4
    faint[7] = False

    def excess(frame):
        return np.median(frame.flux[faint][:, 20:50]) - 50

    assert abs(excess(used)) < 3
    assert excess(ignored) > 10
    header = fits.getheader(tmp_path / "f.fits")
    assert header["PSFTAILS"] == "on"
    assert "NPSFTAIL" not in header
    assert (used.counts.tails, ignored.counts.tails) == (0, psf.nfiber - 1)


def test_without_tails_nothing_changes(night, frame):
    psf = spexbench.read_psf(night.psf)
    assert psf.with_tails().kind == psf.kind
    options = {"wavelength": (5760, 5800, 0.8), "specmin": 3, "nspec": 5}
    same = spexbench.extract(night.preproc, night.psf, psf_tails="on", **options)
    np.testing.assert_array_equal(same.flux, frame.flux)


@pytest.mark.parametrize(
    ("change", "message"),
    [("missing", "has TAILAMP, but not all rows of a tail"), ("nan", "a row TAIL. has a coeff")],
)
def test_damaged_tails_are_named(night, tailed, tmp_path, change, message):
    path = tmp_path / "psf.fits"
    with fits.open(tailed) as hdus:
        table = hdus["PSF"].data
        names = [name.strip() for name in table["PARAM"]]
        row = names.index("TAILCORE")
        if change == "missing":
            table["PARAM"][row] = "OTHER"
        else:
            table["COEFF"][row, 3, 0] = np.nan
        hdus.writeto(path, checksum=True)
    with pytest.raises(spexbench.DataError, match=message):
        spexbench.extract(night.preproc, path, psf_tails="on", wavelength=GRID)
    spexbench.extract(night.preproc, path, wavelength=(5760, 5770, 0.8), nspec=1)
