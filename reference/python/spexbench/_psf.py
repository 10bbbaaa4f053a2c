"""The PSF of a camera: where its spots are, and how they look."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import shown
from ._plain import refuse_masked
from ._plot import plot_traces
from .errors import OutOfRangeError, UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Doubles = npt.NDArray[np.float64]
#: A fiber, several, or None for all.
Fibers = int | Sequence[int] | npt.NDArray[np.integer] | None
#: Wavelengths (Angstrom) or rows: a number, [n], or [nfiber, n] for each fiber its own.
Values = float | Sequence[float] | npt.NDArray[np.number]


def _fibers(psf: _core.Psf, fiber: Any) -> npt.NDArray[np.int64]:
    every = np.arange(psf.nfiber)
    if fiber is None:
        return every
    given = np.atleast_1d(np.asarray(fiber))
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise UsageError(f"fiber: {shown(fiber)} (expected a number, or several)")
    beyond = given[(given < 0) | (given >= psf.nfiber)]
    if len(beyond) > 0:
        raise OutOfRangeError(f"fiber: {beyond[0]} (expected 0 to {psf.nfiber - 1})")
    return np.ascontiguousarray(given, dtype=np.int64)


def _values(name: str, values: Any, unit: str) -> Doubles:
    if values is None:
        raise UsageError(f"{name}: is missing (expected a number or an array, {unit})")
    plain = refuse_masked(name, values, unit)
    try:
        array = np.asarray(plain, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{name}: {shown(values)} (expected numbers)") from None
    if array.ndim > 2 or not np.isfinite(array).all():
        raise UsageError(f"{name}: {shown(values)} (expected finite numbers, with 1 or 2 axes)")
    return np.ascontiguousarray(np.atleast_2d(array))


def _shaped(result: npt.NDArray[Any], fiber: Any, values: Any) -> Any:
    """Without the axis of a single fiber, and of a single value."""
    if np.ndim(values) == 0:
        result = result[:, 0]
    if fiber is not None and np.ndim(fiber) == 0:
        result = result[0]
    return result if np.ndim(result) else result[()]


class Psf(_core.Psf):
    """The PSF of a camera, as `read_psf` returns it.

    Columns x and rows y are counted from 0 at the center of the first pixel; wavelengths are in
    vacuum, Angstrom. The methods take

        fiber: a number, counted from 0 in the PSF; several; or None, all of them;
        wave (or y): a number; an array [n]; or an array [nfiber, n], a row for each fiber;

    and return an array [nfiber, n], without the axis of what is a single number. Where a fiber has
    no light, because its trace turns back beyond those wavelengths (docs/extraction.md, section
    2.1), the result is NaN. Threads share the fibers.

    Attributes:
        kind: "GAUSS-HERMITE", perhaps "with tails", or specter's other kinds: "GAUSS-HERMITE2",
            "SPOTGRID", "MONOSPOT", "PCA-PIX".
        nfiber: number of fibers.
        npix_x, npix_y: columns and rows of the CCD.
        hsizex, hsizey: a spot has 2 hsizex + 1 columns and 2 hsizey + 1 rows.
        wavemin, wavemax: range of the widths and of the shape, Angstrom.
        ndiag: diagonals of R on either side of the main one.
        psferr: fractional error of the model.
        camera: such as "r0"; empty if the file does not state it.

    >>> psf = read_psf(night.psf)
    >>> psf.x(wave=[5760.0, 5800.0]).shape, psf.x(3, [5760.0, 5800.0]).shape
    ((25, 2), (2,))
    >>> wave = psf.wavelength(3, 150)
    >>> bool(abs(psf.y(3, wave) - 150) < 1e-9)
    True
    """

    def with_tails(self) -> "Psf":
        """A PSF whose spots have the tails of its rows TAIL*, as of `extract(psf_tails="on")`."""
        return type(self)(_core.psf_with_tails(self))

    def _shapes(self, fiber: Fibers, wave: Values | None) -> tuple[Any, ...]:
        values = _values("wave", wave, "Angstrom")
        found = _core.psf_shapes(self, _fibers(self, fiber), values, _core.default_threads())
        return tuple(_shaped(np.asarray(array), fiber, wave) for array in found)

    def x(self, fiber: Fibers = None, wave: Values | None = None) -> Any:
        """Columns of the spots' centers, pixels. specter: psf.x(ispec, wavelength)."""
        return self._shapes(fiber, wave)[0]

    def y(self, fiber: Fibers = None, wave: Values | None = None) -> Any:
        """Rows of the spots' centers, pixels. specter: psf.y(ispec, wavelength)."""
        return self._shapes(fiber, wave)[1]

    def wavelength(self, fiber: Fibers = None, y: Values | None = None) -> Any:
        """Wavelengths, Angstrom, whose spots' centers are at the rows y; NaN where there is none.

        It inverts `y`, where specter's psf.wavelength(ispec, y) has a fit to its inverse.
        """
        values = _values("y", y, "pixel")
        found = _core.psf_wavelengths(self, _fibers(self, fiber), values, _core.default_threads())
        return _shaped(np.asarray(found), fiber, y)

    def sigma(self, fiber: Fibers = None, wave: Values | None = None) -> tuple[Any, Any]:
        """Widths of the spots, pixels: sigmas of the Gauss-Hermite functions along x and along y.

        Of the narrow core for GAUSS-HERMITE2. NaN for spots made of images, which state none.
        specter: psf.xsigma(ispec, wavelength), psf.ysigma(ispec, wavelength).

        >>> across, along = read_psf(night.psf).sigma(0, [5760.0, 5800.0])
        >>> across.shape, bool(((across > 0.5) & (across < 2)).all())
        ((2,), True)
        """
        _, _, across, along, _ = self._shapes(fiber, wave)
        return across, along

    def angstroms_per_pixel(self, fiber: Fibers = None, wave: Values | None = None) -> Any:
        """Height of a pixel, Angstrom: how much the wavelength changes from row to row.

        specter: psf.angstroms_per_pixel(ispec, wavelength).
        """
        return 1 / np.abs(self._shapes(fiber, wave)[4])

    def wdisp(self, fiber: Fibers = None, wave: Values | None = None) -> Any:
        """Width of the spots along the dispersion, Angstrom. specter: psf.wdisp."""
        *_, along, slope = self._shapes(fiber, wave)
        return along / np.abs(slope)

    def spot(
        self, fiber: Fibers = None, wave: Values | None = None
    ) -> tuple[Doubles, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The images of bins on the CCD. specter: psf.pix, psf.xypix.

        Returns:
            (pixels, x, y): float64 [nfiber, n, 2 hsizey + 1, 2 hsizex + 1], the part of a bin's
            light in each pixel, whose sum is 1; and int64 [nfiber, n], column and row of its first
            pixel, which may lie beyond the CCD. Without the axis of a single number.

        Raises:
            OutOfRangeError: a fiber has no light at one of the wavelengths.

        >>> pixels, x, y = read_psf(night.psf).spot(3, 5800.0)
        >>> pixels.shape, round(float(pixels.sum()), 12)
        ((11, 17), 1.0)
        """
        fibers, values = _fibers(self, fiber), _values("wave", wave, "Angstrom")
        pixels, x, y = _core.psf_spots(self, fibers, values, _core.default_threads())
        dark = np.argwhere(x == _core.dark_corner)
        if len(dark) > 0:
            f, w = dark[0]
            where = values[f if len(values) > 1 else 0, w]
            raise OutOfRangeError(
                f"wave: fiber {fibers[f]} has no light at {where:g} Angstrom "
                "(expected wavelengths of the PSF)"
            )
        return (
            _shaped(pixels, fiber, wave),
            _shaped(x, fiber, wave),
            _shaped(y, fiber, wave),
        )

    def plot(
        self,
        image: Any = None,
        fibers: Fibers = None,
        axes: "Axes | None" = None,
        *,
        wave: Values | None = None,
    ) -> "Axes":
        """Draws traces of fibers over an image. Needs matplotlib.

        Args:
            image: what read_preproc returns, or an array [ny, nx]; None draws traces alone.
            fibers: None is all.
            axes: where to draw; None makes a figure.
            wave: Angstrom; also marks these wavelengths on each trace.

        Returns:
            The axes, of matplotlib.

        Raises:
            UsageError: the image has another shape than the CCD.
            ImportError: there is no matplotlib.
        """
        return plot_traces(self, _fibers(self, fibers), image, axes, wave)
