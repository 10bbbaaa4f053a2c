"""The extracted spectra of one camera."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core, _plot
from ._arguments import PathLike, path_of
from .errors import UsageError

if TYPE_CHECKING:
    from astropy.units import Quantity
    from matplotlib.axes import Axes

#: Units of a Frame's arrays, as astropy reads them.
UNITS = {
    "wave": "Angstrom",
    "flux": "electron / Angstrom",
    "ivar": "Angstrom2 / electron2",
    "mask": "",
    "resolution": "",
    "chi2pix": "",
    "pixmask_fraction": "",
    "model": "electron",
}


@dataclass(frozen=True)
class Counts:
    """Counts of a frame's patches by status, of its bins, and of its fibers."""

    patches: int  #: all patches of the frame
    guarded: int  #: rejected by a guard (extraction.md, section 5.1) and solved as a whole
    fell_back: int  #: solved by eigh because the method failed
    failed: int  #: not solved; their bins are NODATA in the mask
    direct: int  #: for flux="frame": flux solved directly instead of by sweeps
    dark: int  #: bins (not patches) without a usable pixel; their ivar is 0
    overflowed: int  #: bins (not patches) beyond the range of float32; zeroed, NODATA in the mask
    beyond: int  #: bins beyond the wavelengths of the PSF; NODATA in the mask
    pulled: int  #: bins whose flux the prior pulls; BAD2DFIT in the mask
    failed_fit: int  #: fibers for which the fit of the PSF failed
    unfitted: int  #: fibers in bundles whose PSF was not fitted
    tails: int  #: fibers whose PSF has tails, which are ignored


@dataclass(frozen=True, eq=False)
class Frame:
    """Spectra, one row per fiber. The caller may keep and change the arrays.

    Section 7 of docs/extraction.md describes the arrays.
    """

    wave: npt.NDArray[np.float64]  #: Angstrom [nwave]
    flux: npt.NDArray[np.float64]  #: electron / Angstrom [nspec, nwave]
    ivar: npt.NDArray[np.float64]  #: (electron / Angstrom)^-2 [nspec, nwave]
    mask: npt.NDArray[np.uint32]  #: bits of specmask [nspec, nwave]
    #: dimensionless [nspec, 2 ndiag + 1, nwave]: rows w - ndiag ... w + ndiag of column w of R
    resolution: npt.NDArray[np.float64]
    chi2pix: npt.NDArray[np.float64]  #: dimensionless [nspec, nwave]
    #: 0 ... 1 [nspec, nwave]; None if the frame's file lacks it
    pixmask_fraction: npt.NDArray[np.float64] | None
    #: model image, electron [ny, nx]; None if not requested
    model: npt.NDArray[np.float64] | None
    specmin: int  #: first fiber, counted from 0 in the PSF
    camera: str  #: such as "r0"; empty if the image does not state it
    flux_of: str  #: the requested flux: "patch" or "frame"
    nwavestep: int  #: core bins of a patch
    heliocor: float  #: barycentric factor of the wavelengths; 1 if not corrected
    counts: Counts  #: patches by status, bins, fibers
    #: header cards and fibermap for `write`
    header: _core.Header = field(default_factory=_core.Header, repr=False)
    units: dict[str, str] = field(default_factory=lambda: dict(UNITS))  #: of each array

    @property
    def nspec(self) -> int:
        """Number of spectra."""
        return int(self.flux.shape[0])

    @property
    def nwave(self) -> int:
        """Number of wavelength bins."""
        return int(self.flux.shape[1])

    def quantity(self, name: str) -> "Quantity":
        """An array with its unit, without a copy. Needs astropy.

        >>> frame = extract(night.preproc, night.psf, nspec=5, wavelength=(5760, 5776, 0.8))
        >>> frame.quantity("flux").unit
        Unit("electron / Angstrom")
        """
        try:
            from astropy import units
        except ImportError:
            raise ImportError("no astropy (expected: pip install 'spexbench[units]')") from None

        if name not in self.units:
            raise UsageError(f"name: unknown {name!r} (expected {', '.join(self.units)})")
        return units.Quantity(getattr(self, name), self.units[name], copy=False)

    def write(self, path: PathLike, *, scores: bool = True, full_precision: bool = False) -> None:
        """Writes the frame in DESI's form (docs/file-formats.md), for `read_frame` and desispec.

        The file has the header and the fibermap of the image that the frame was extracted from.
        The file holds float32, except with full_precision=True. `model` is not written.

        Args:
            path: .fits or .fits.gz. A file of that name is replaced.
            scores: with the HDU SCORES, computed from the arrays; never without a camera.
            full_precision: write float64, and the HDU PIXMASK_FRACTION.

        Raises:
            UsageError: an array has another shape or type, or a value that is not finite, also
                after rounding to float32.
            DataError: the file cannot be written.

        >>> frame = extract(night.preproc, night.psf, nspec=5, wavelength=(5760, 5776, 0.8))
        >>> frame.write(folder / "frame.fits", full_precision=True)
        >>> bool((read_frame(folder / "frame.fits").flux == frame.flux).all())
        True
        """
        arrays: dict[str, Any] = {
            name: np.ascontiguousarray(getattr(self, name), dtype=np.float64)
            for name in ("wave", "flux", "ivar", "resolution", "chi2pix")
        }
        fraction = self.pixmask_fraction
        _core.write_spectra(
            path_of("path", path),
            header=self.header,
            camera=self.camera,
            mask=np.ascontiguousarray(self.mask, dtype=np.uint32),
            pixmask_fraction=None
            if fraction is None
            else np.ascontiguousarray(fraction, dtype=np.float64),
            scores=bool(scores),
            full_precision=bool(full_precision),
            **arrays,
        )

    def plot(
        self, spectra: int | Iterable[int] | None = None, axes: "Axes | None" = None
    ) -> "Axes":
        """Plots flux ± σ over wavelength, without masked bins. Needs matplotlib.

        Args:
            spectra: which, counted from 0 in this frame; None is five of them.
            axes: where to draw; None makes a figure.

        Returns:
            The axes, of matplotlib.

        Raises:
            UsageError: the frame has no such spectrum.
            ImportError: there is no matplotlib.
        """
        return _plot.plot(self, spectra, axes)

    def __repr__(self) -> str:
        ends = f"{self.wave[0]:g} to {self.wave[-1]:g} Angstrom"
        return f"<Frame {self.camera or 'of no camera'}: {self.nspec} spectra, {ends}>"


def read_frame(path: PathLike, *, checksums: bool = True) -> Frame:
    """Reads a frame's file from spex-cpu, Frame.write or production (.fits, .gz, .fz).

    Values of float32 become float64 without a change. The model image is no part of the file.

    Args:
        path: the file.
        checksums: compare DATASUM and CHECKSUM where the file has them.

    Raises:
        UsageError: it is no path.
        DataError: the file is missing or malformed, has no such HDUs as a frame has, or a checksum
            is wrong.

    >>> written = extract(night.preproc, night.psf, nspec=5, output=night.frame)
    >>> frame = read_frame(night.frame)
    >>> frame, frame.counts == written.counts, frame.header.cards == written.header.cards
    (<Frame r0: 5 spectra, 5760 to 7620 Angstrom>, True, True)
    """
    return frame_of(_core.read_spectra(path_of("path", path), bool(checksums)), model=None)


def frame_of(parts: dict[str, Any], **others: Any) -> Frame:
    """A Frame from the extension module's dictionary and `others`."""
    counts = Counts(**{one.name: parts.pop(one.name) for one in fields(Counts)})
    return Frame(counts=counts, **parts, **others)
