"""Writes small PSF files of specter's kinds, with odd sizes and values of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
from astropy.io import fits

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ccd:
    """A CCD with straight, slightly bent traces."""

    nfiber: int = 3
    nx: int = 61
    ny: int = 83
    wavemin: float = 5000.0
    wavemax: float = 5100.0
    first: float = 14.3
    step: float = 15.2

    def coefficients(self) -> tuple[Doubles, Doubles]:
        """Legendre coefficients of X and Y, [nfiber, 4]."""
        s = np.arange(self.nfiber)
        x, y = np.zeros((2, self.nfiber, 4))
        x[:, 0], x[:, 1], x[:, 2] = self.first + self.step * s, 0.7 - 0.1 * s, 0.21
        y[:, 0], y[:, 1], y[:, 3] = self.ny / 2 - 0.4 * s, 0.48 * self.ny, 0.13
        return x, y


CCD = Ccd()


def _image(
    values: npt.ArrayLike, name: str | None = None, keys: Mapping[str, object] | None = None
) -> fits.ImageHDU:
    hdu = fits.ImageHDU(np.asarray(values))
    if name:
        hdu.name = name
    hdu.header.update(dict(keys or {}))
    return hdu


def _traces(kind: str, ccd: Ccd, keys: Mapping[str, object]) -> list[fits.PrimaryHDU]:
    """The first two HDUs of kinds with images."""
    x, y = ccd.coefficients()
    waves = {"WAVEMIN": ccd.wavemin, "WAVEMAX": ccd.wavemax}
    first = fits.PrimaryHDU(x)
    first.name = "XCOEFF"
    first.header.update(
        waves
        | {"PSFTYPE": kind, "NPIX_X": ccd.nx, "NPIX_Y": ccd.ny, "NSPEC": ccd.nfiber}
        | dict(keys)
    )
    return [first, _image(y, "YCOEFF", waves)]


def blob(ny: int, nx: int, sigma: float, skew: float = 0.0) -> Doubles:
    """A spot [ny, nx] that is not symmetric, dark at its edges, with a little negative ringing."""
    y = (np.arange(ny) - (ny - 1) / 2) / sigma
    x = (np.arange(nx) - (nx - 1) / 2) / sigma
    r2 = x**2 + y[:, None] ** 2
    shape = 1 + skew * x - 0.4 * skew * y[:, None] * x - 0.01 * r2
    return shape * np.exp(-0.5 * r2)


def write_spotgrid(path: Path, ccd: Ccd = CCD, scale: int = 5) -> Path:
    """SPOTGRID: images at 3 places on the slit and 4 wavelengths."""
    ny, nx = 9 * scale, 8 * scale
    slit, wave = np.array([-1.0, 0.4, 2.0]), np.linspace(ccd.wavemin - 3, ccd.wavemax + 5, 4)
    spots = np.array(
        [
            [blob(ny, nx, scale * (1.1 + 0.1 * p + 0.05 * w), 0.1 * (p - w)) for w in range(4)]
            for p in range(3)
        ]
    )
    position = np.linspace(-1.2, 1.9, ccd.nfiber)
    # 0.015 / 0.003 is no whole number in floating point.
    keys = {"CCDPIXSZ": 0.015, "PIXSIZE": 0.015 / scale}
    fits.HDUList(
        [
            *_traces("SPOTGRID", ccd, keys),
            _image(spots, "SPOTS"),
            _image(np.zeros((3, 4)), "SPOTX"),
            _image(np.zeros((3, 4)), "SPOTY"),
            _image(position, "FIBERPOS"),
            _image(slit, "SPOTPOS"),
            _image(wave, "SPOTWAVE"),
        ]
    ).writeto(path)
    return path


def write_monospot(path: Path, ccd: Ccd = CCD, scale: int = 4) -> Path:
    """MONOSPOT: one image."""
    spot = blob(10 * scale, 9 * scale, 1.2 * scale, 0.15)
    fits.HDUList(
        [*_traces("MONOSPOT", ccd, {"PSFERR": 0.02}), _image(spot, "SPOT", {"SCALE": scale})]
    ).writeto(path)
    return path


def write_pca_pix(path: Path, ccd: Ccd = CCD) -> Path:
    """PCA-PIX: two groups of fibers, four images each."""
    terms = [(0, 0), (1, 0), (0, 1), (2, 1)]
    images = np.array(
        [
            [blob(13, 11, 1.2 + 0.2 * g, 0.1) * (1 if t == 0 else 0.05 * t) for t in range(4)]
            for g in range(2)
        ]
    )
    s = np.arange(ccd.nfiber)
    exponents = fits.BinTableHDU.from_columns(
        [
            fits.Column("IMODEL", "J", array=np.arange(4)),
            fits.Column("XEXP", "J", array=[t[0] for t in terms]),
            fits.Column("YEXP", "J", array=[t[1] for t in terms]),
        ]
    )
    scales = fits.BinTableHDU.from_columns(
        [
            fits.Column("IGROUP", "J", array=s % 2),
            fits.Column("X0", "D", array=20.0 + s),
            fits.Column("XSCALE", "D", array=np.full(ccd.nfiber, 1 / 40)),
            fits.Column("Y0", "D", array=np.full(ccd.nfiber, ccd.ny / 2)),
            fits.Column("YSCALE", "D", array=np.full(ccd.nfiber, 1.7 / ccd.ny)),
        ]
    )
    fits.HDUList(
        [
            *_traces("PCA-PIX", ccd, {}),
            _image(np.zeros((1, 1)), "NOTREAD"),
            exponents,
            scales,
            _image(images),
        ]
    ).writeto(path)
    return path


@dataclass
class GaussHermite2:
    """The parameters of a PSF of two cores: degrees, and a function of fiber and u for each."""

    degrees: tuple[int, int, int, int] = (3, 2, 1, 2)
    rows: dict[str, Doubles] = field(default_factory=dict)


def gauss_hermite2(ccd: Ccd = CCD) -> GaussHermite2:
    """Rows [nfiber, 4] of coefficients."""
    psf = GaussHermite2()

    def row(name: str, value: float, slope: float = 0.0) -> None:
        psf.rows[name] = np.zeros((ccd.nfiber, 4))
        psf.rows[name][:, 0] = value
        psf.rows[name][:, 1] = slope * (1 + np.arange(ccd.nfiber))

    psf.rows["X"], psf.rows["Y"] = ccd.coefficients()
    for name, value, slope in (
        ("GHSIGX", 1.1, 0.05), ("GHSIGY", 1.3, -0.04), ("GHNSIG", 3.2, 0.0), ("GHSIGX2", 2.1, 0.02),
        ("GHSIGY2", 2.4, 0.03), ("TAILAMP", 2e-3, 1e-4), ("TAILCORE", 1.5, 0.0),
        ("TAILXSCA", 0.9, 0.0), ("TAILYSCA", 1.1, 0.0), ("TAILINDE", 2.2, 0.0), ("CONT", 0.0, 0.0),
    ):  # fmt: skip
        row(name, value, slope)
    for of, degx, degy, whole in (
        ("GH", *psf.degrees[:2], 0.8), ("GH2", *psf.degrees[2:], 0.2),
    ):  # fmt: skip
        for i, j in np.ndindex(degx + 1, degy + 1):
            row(f"{of}-{i}-{j}", whole if i == j == 0 else 0.02 / (1 + i + 2 * j), 1e-3)
    return psf


def write_gauss_hermite2(path: Path, ccd: Ccd = CCD, half: int = 6) -> Path:
    """GAUSS-HERMITE2: one table, as specex wrote it for BOSS, without LEGDEG."""
    psf = gauss_hermite2(ccd)
    count = len(psf.rows)
    table = fits.BinTableHDU.from_columns(
        [
            fits.Column("PARAM", "8A", array=list(psf.rows)),
            fits.Column("WAVEMIN", "D", array=np.full(count, ccd.wavemin)),
            fits.Column("WAVEMAX", "D", array=np.full(count, ccd.wavemax)),
            fits.Column(
                "COEFF",
                f"{4 * ccd.nfiber}D",
                dim=f"(4,{ccd.nfiber})",
                array=np.array(list(psf.rows.values())),
            ),
        ]
    )
    names = ("GHDEGX", "GHDEGY", "GHDEGX2", "GHDEGY2")
    table.header.update(
        {"PSFTYPE": "GAUSS-HERMITE2", "PSFVER": "2", "NPIX_X": ccd.nx, "NPIX_Y": ccd.ny}
        | {"HSIZEX": half, "HSIZEY": half + 1, "FIBERMIN": 0, "FIBERMAX": ccd.nfiber - 1}
        | dict(zip(names, psf.degrees, strict=True))
    )
    first = fits.PrimaryHDU()
    first.header.update({"PSFTYPE": "GAUSS-HERMITE2", "PSFVER": "2"})
    fits.HDUList([first, table]).writeto(path)
    return path


#: The kinds, by their writers.
WRITERS = {
    "GAUSS-HERMITE2": write_gauss_hermite2,
    "SPOTGRID": write_spotgrid,
    "MONOSPOT": write_monospot,
    "PCA-PIX": write_pca_pix,
}
