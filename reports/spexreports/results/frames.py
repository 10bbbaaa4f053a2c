"""Reads the files of the programs (docs/file-formats.md) into arrays."""

import re
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from astropy.io import fits
from astropy.utils.exceptions import AstropyWarning
from numpy.polynomial import legendre

from spexreports.errors import DataError

#: Endings of the names of one file.
FORMS = (".fits", ".fits.gz", ".fits.fz")


@dataclass
class Frame:
    """Extracted spectra, arrays `[spectrum, wavelength]`."""

    index: np.ndarray  # of the fibers, counted from 0, in the PSF and the truth
    fiber: np.ndarray  # fiber numbers, FIBER of FIBERMAP
    objtype: np.ndarray  # OBJTYPE of FIBERMAP, '' without one
    wave: np.ndarray  # Angstrom
    step: float  # of the wavelengths, Angstrom
    flux: np.ndarray  # electron / Angstrom
    ivar: np.ndarray  # (electron / Angstrom)^-2
    mask: np.ndarray
    resolution: np.ndarray  # [spectrum, diagonal, wavelength]
    camera: str

    @property
    def ndiag(self) -> int:
        """Diagonals on each side of the main diagonal."""
        return self.resolution.shape[1] // 2

    @property
    def good(self) -> np.ndarray:
        """Bins that are measured and not masked."""
        return (self.ivar > 0) & (self.mask == 0)


@dataclass
class Ccd:
    """A preprocessed CCD image, arrays `[row, column]`."""

    image: np.ndarray  # electron
    ivar: np.ndarray  # electron^-2
    mask: np.ndarray

    @property
    def good(self) -> np.ndarray:
        """Pixels with weight."""
        return np.isfinite(self.image) & (self.ivar > 0) & (self.mask == 0)


@dataclass
class Traces:
    """The positions of fibers on the CCD, by the PSF."""

    x: np.ndarray  # Legendre coefficients [fiber, degree + 1] of the column
    y: np.ndarray  # and of the row
    x_range: tuple[float, float]  # WAVEMIN, WAVEMAX, Angstrom
    y_range: tuple[float, float]

    def column(self, fiber: int, wave: np.ndarray) -> np.ndarray:
        """Column of a fiber's spot at wavelengths in Angstrom, pixels."""
        return _legendre(self.x[fiber], self.x_range, wave)

    def row(self, fiber: int, wave: np.ndarray) -> np.ndarray:
        """Row of a fiber's spot, pixels."""
        return _legendre(self.y[fiber], self.y_range, wave)


@dataclass
class Truth:
    """The simulated spectra of an image, `[fiber, wavelength]`."""

    wave: np.ndarray  # Angstrom
    flux: np.ndarray  # electron / Angstrom


def _legendre(coefficients, wave_range, wave):
    low, high = wave_range
    return legendre.legval(2 * (np.asarray(wave) - low) / (high - low) - 1, coefficients)


def _form_of(path: Path) -> Path:
    """The file, or its other form if only that exists, as the programs find files."""
    stem = re.sub(r"\.fits(\.gz|\.fz)?$", "", str(path))
    forms = [form for end in FORMS if (form := Path(stem + end)).exists()]
    return forms[0] if not path.exists() and len(forms) == 1 else path


@contextmanager
def opened(path: Path) -> Iterator[fits.HDUList]:
    """The HDUs of a file. Throws DataError if it cannot be read as expected."""
    expected = "a complete file as in docs/file-formats.md"
    try:
        with warnings.catch_warnings():
            # Astropy's warnings are ignored. Serious faults fail below, with one line.
            warnings.simplefilter("ignore", AstropyWarning)
            with fits.open(_form_of(path)) as hdus:
                yield hdus
    except DataError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise
        raise DataError(path, "is not a FITS file, or is damaged", expected) from error
    except KeyError as error:
        raise DataError(path, str(error.args[0]).rstrip("."), expected) from error
    except (AttributeError, EOFError, IndexError, TypeError, ValueError, zlib.error) as error:
        # The messages of NumPy, such as for too short buffers, do not help a user.
        raise DataError(path, "is truncated or damaged", expected) from error


def _native(data) -> np.ndarray:
    """A copy in the machine's byte order."""
    if data is None:
        raise ValueError("an HDU without data")
    array = np.asarray(data)
    return array.astype(array.dtype.newbyteorder("="))


def _step(path: Path, wave: np.ndarray, header: fits.Header) -> float:
    """The step of the wavelengths; the header states that of a single one."""
    if len(wave) > 1:
        return float(wave[1] - wave[0])
    stated = header.get("WAVESTEP")
    if not isinstance(stated, int | float) or not stated > 0:
        raise DataError(path, "has one wavelength, and no WAVESTEP", "two or more, or a step")
    return float(stated)


def read_frame(path: Path) -> Frame:
    """Reads a frame; MASK and FIBERMAP may be missing."""
    with opened(path) as hdus:
        flux = _native(hdus["FLUX"].data)
        header = hdus["FLUX"].header
        nspec = len(flux)
        index = header.get("SPECMIN", 0) + np.arange(nspec)
        fiber = index
        objtype = np.full(nspec, "")
        if "FIBERMAP" in hdus:
            table = hdus["FIBERMAP"].data
            fiber = _native(table["FIBER"])
            if "OBJTYPE" in table.names:
                objtype = np.char.strip(np.asarray(table["OBJTYPE"]).astype(str))
        wave = _native(hdus["WAVELENGTH"].data)
        mask = _native(hdus["MASK"].data) if "MASK" in hdus else np.zeros(flux.shape, np.uint32)
        return Frame(
            index=index,
            fiber=fiber,
            objtype=objtype,
            wave=wave,
            step=_step(path, wave, header),
            flux=flux,
            ivar=_native(hdus["IVAR"].data),
            mask=mask,
            resolution=_native(hdus["RESOLUTION"].data),
            camera=str(header.get("CAMERA", "")).strip().lower(),
        )


def read_ccd(path: Path) -> Ccd:
    """Reads a preproc file."""
    with opened(path) as hdus:
        return Ccd(
            image=_native(hdus["IMAGE"].data),
            ivar=_native(hdus["IVAR"].data),
            mask=_native(hdus["MASK"].data),
        )


def read_model(path: Path) -> np.ndarray:
    """Reads a model image, electron `[row, column]`."""
    with opened(path) as hdus:
        return _native(hdus["MODEL"].data)


def read_traces(path: Path) -> Traces:
    """Reads the traces of a PSF file."""
    with opened(path) as hdus:
        x, y = hdus["XTRACE"], hdus["YTRACE"]
        return Traces(
            x=_native(x.data),
            y=_native(y.data),
            x_range=(x.header["WAVEMIN"], x.header["WAVEMAX"]),
            y_range=(y.header["WAVEMIN"], y.header["WAVEMAX"]),
        )


def read_truth(path: Path) -> Truth:
    """Reads a truth file of spex-sim."""
    with opened(path) as hdus:
        return Truth(wave=_native(hdus["WAVELENGTH"].data), flux=_native(hdus["FLUX"].data))
