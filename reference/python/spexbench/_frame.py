"""The extracted spectra of one camera."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .errors import UsageError

if TYPE_CHECKING:
    from astropy.units import Quantity

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
    """How many patches of a frame ended how."""

    patches: int  #: of the frame
    guarded: int  #: by a guard (extraction.md, section 5.1) solved as a whole
    fell_back: int  #: solved by eigh in the method's place
    failed: int  #: which could not be solved; their bins are NODATA in the mask
    direct: int  #: of flux="frame": whose flux was not found by sweeps
    dark: int  #: bins, not patches: those without a usable pixel, whose ivar is 0


@dataclass(frozen=True, eq=False)
class Frame:
    """Spectra, rows by fiber; the arrays are the caller's to keep and to change.

    What each holds is in docs/extraction.md, section 7.
    """

    wave: npt.NDArray[np.float64]  #: Angstrom [nwave]
    flux: npt.NDArray[np.float64]  #: electron / Angstrom [nspec, nwave]
    ivar: npt.NDArray[np.float64]  #: (electron / Angstrom)^-2 [nspec, nwave]
    mask: npt.NDArray[np.uint32]  #: bits of specmask [nspec, nwave]
    #: dimensionless [nspec, 2 ndiag + 1, nwave]: rows w - ndiag ... w + ndiag of column w of R
    resolution: npt.NDArray[np.float64]
    chi2pix: npt.NDArray[np.float64]  #: dimensionless [nspec, nwave]
    pixmask_fraction: npt.NDArray[np.float64]  #: 0 ... 1 [nspec, nwave]
    #: model image, electron [ny, nx]; None where it was not asked for
    model: npt.NDArray[np.float64] | None
    specmin: int  #: first fiber, counted from 0 in the PSF
    camera: str  #: "r0", say; empty where the image does not say
    flux_of: str  #: "patch" or "frame", as it was asked for
    nwavestep: int  #: core bins of a patch
    heliocor: float  #: factor by which the wavelengths are barycentric; 1 where they are not
    counts: Counts  #: of patches
    units: dict[str, str] = field(default_factory=lambda: dict(UNITS))  #: of each array

    @property
    def nspec(self) -> int:
        """Number of spectra."""
        return self.flux.shape[0]

    @property
    def nwave(self) -> int:
        """Number of wavelength bins."""
        return self.flux.shape[1]

    def quantity(self, name: str) -> "Quantity":
        """An array with its unit, which shares the array's memory. Needs astropy.

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

    def __repr__(self) -> str:
        ends = f"{self.wave[0]:g} to {self.wave[-1]:g} Angstrom"
        return f"<Frame {self.camera or 'of no camera'}: {self.nspec} spectra, {ends}>"
