"""The spectra that a simulated image was made of."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import PathLike, path_of
from .errors import OutOfRangeError

if TYPE_CHECKING:
    from ._frame import Frame

#: How much wavelengths may differ, as part of a step.
_UNEVEN = 1e-6


@dataclass(frozen=True, eq=False)
class Truth:
    """Simulated spectra, a row per fiber of the PSF.

    Attributes:
        wave: float64 [nwave], Angstrom, in vacuum; further than those of an extraction.
        flux: float64 [nfiber, nwave], electron / Angstrom: the light that was put on the CCD,
            before any resolution. A frame's expected flux is `frame.convolve(truth.at(frame))`.
    """

    wave: npt.NDArray[np.float64]
    flux: npt.NDArray[np.float64]

    def at(self, frame: "Frame") -> npt.NDArray[np.float64]:
        """The flux of a frame's fibers and wavelengths: float64 [frame.nspec, frame.nwave].

        Raises:
            OutOfRangeError: the truth has not all of these fibers and wavelengths.

        >>> frame = extract(night.preproc, night.psf, wavelength=(5760, 5840, 0.8))
        >>> expected = frame.convolve(read_truth(night.truth).at(frame))
        >>> pulls = ((frame.flux - expected) * np.sqrt(frame.ivar))[:, frame.ndiag : -frame.ndiag]
        >>> bool(abs(pulls.std() - 1) < 0.05)
        True
        """
        first = int(np.searchsorted(self.wave, frame.wave[0] - frame.step / 2))
        wave = self.wave[first : first + frame.nwave]
        same = len(wave) == frame.nwave and np.allclose(
            wave, frame.wave, rtol=0, atol=_UNEVEN * frame.step
        )
        if not same or frame.fibers.max() >= len(self.flux):
            raise OutOfRangeError(
                "frame: has fibers or wavelengths that the truth lacks (expected a frame of "
                "this simulation, on the grid of the truth)"
            )
        return self.flux[frame.fibers, first : first + frame.nwave]

    def __repr__(self) -> str:
        ends = f"{self.wave[0]:g} to {self.wave[-1]:g} Angstrom"
        return f"<Truth: {len(self.flux)} spectra, {ends}>"


def read_truth(path: PathLike, *, checksums: bool = True) -> Truth:
    """Reads the truth of simulate(on_grid=True), a file truth-CAMERA-EXPID.fits.

    Args:
        path: the file.
        checksums: compare DATASUM and CHECKSUM.

    Raises:
        UsageError: it is no path.
        DataError: the file is missing or malformed, or the truth is not on the extraction's grid.

    >>> read_truth(night.truth)
    <Truth: 25 spectra, 5730.4 to 5910.4 Angstrom>
    """
    return Truth(*_core.read_truth(path_of("path", path), bool(checksums)))
