"""The resolution of a frame as matrices (docs/extraction.md, section 5)."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from .errors import OutOfRangeError, UsageError

if TYPE_CHECKING:
    from scipy.sparse import dia_matrix


class Resolution(Sequence["dia_matrix"]):
    """R of each spectrum: `frame.R[k]` is a matrix [nwave, nwave] of scipy.sparse.

    `R[k] @ truth[k]` is what the extraction makes of a spectrum without noise: electron / Angstrom
    of the truth at the bins' wavelengths. Row i of R[k] is the resolution of bin i, and its sum is
    1 to the bins within. Column j is where the light of bin j goes. R is no symmetric matrix:
    R[k].T is another.
    """

    def __init__(self, diagonals: npt.NDArray[np.floating[Any]]) -> None:
        self._diagonals = diagonals

    def __len__(self) -> int:
        return len(self._diagonals)

    @overload
    def __getitem__(self, k: int) -> "dia_matrix": ...
    @overload
    def __getitem__(self, k: slice) -> "list[dia_matrix]": ...
    def __getitem__(self, k: int | slice) -> "dia_matrix | list[dia_matrix]":
        try:
            from scipy.sparse import dia_matrix
        except ImportError:
            raise ImportError("no scipy (expected: pip install 'spexbench[sparse]')") from None

        if isinstance(k, slice):
            return [self[one] for one in range(*k.indices(len(self)))]
        if not -len(self) <= k < len(self):
            raise OutOfRangeError(f"R: {k} (expected a number below {len(self)})")
        ndiagonals, nwave = self._diagonals[k].shape
        return dia_matrix(
            (self._diagonals[k], ndiagonals // 2 - np.arange(ndiagonals)), shape=(nwave, nwave)
        )

    def __iter__(self) -> "Iterator[dia_matrix]":
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        nspec, ndiagonals, nwave = self._diagonals.shape
        return f"<Resolution of {nspec} spectra: {nwave} x {nwave}, {ndiagonals} diagonals>"


def convolve(diagonals: npt.NDArray[Any], model: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Frame.convolve."""
    nspec, ndiagonals, nwave = diagonals.shape
    values = np.asarray(model, dtype=np.float64)
    if values.shape not in ((nwave,), (nspec, nwave)):
        raise UsageError(
            f"model: has the shape {' x '.join(map(str, values.shape))} "
            f"(expected {nspec} x {nwave}, or {nwave})"
        )
    values = np.broadcast_to(values, (nspec, nwave))
    seen = np.zeros((nspec, nwave))
    for d in range(ndiagonals):
        # Column w of diagonal d is in row w + d - ndiag.
        shift = d - ndiagonals // 2
        to = slice(max(0, shift), min(nwave, nwave + shift))
        of = slice(max(0, -shift), min(nwave, nwave - shift))
        if to.start < to.stop:
            seen[:, to] += diagonals[:, d, of] * values[:, of]
    return seen
