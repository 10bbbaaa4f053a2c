"""Wavelength grids of any accepted form."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import shown
from .errors import UsageError

Grid = tuple[float, float, float]  # wmin, wmax, dw, Angstrom
Wavelength = str | tuple[float, float, float] | npt.NDArray[np.floating]

#: Tolerance of unequal steps, relative to the step, in addition to the array's rounding.
_UNEVEN = 1e-6


def grid_of(value: Any) -> Grid:
    """(wmin, wmax, dw) of three numbers, their text, or an array of all wavelengths."""
    if isinstance(value, np.ndarray):
        return _grid_of_array(value)
    try:
        wmin, wmax, dw = (float(v) for v in (value.split(",") if isinstance(value, str) else value))
    except (TypeError, ValueError):
        raise UsageError(
            f"wavelength: {shown(value)} is not three numbers "
            "(expected wmin, wmax, dw in Angstrom, or a NumPy array of all wavelengths)"
        ) from None
    return wmin, wmax, dw


def _grid_of_array(array: npt.NDArray[Any]) -> Grid:
    even = array.ndim == 1 and len(array) > 1 and array.dtype.kind in "fiu"
    if even:
        wave = array.astype(np.float64)
        steps = np.arange(len(wave))
        dw = (wave[-1] - wave[0]) / steps[-1]
        rounding = np.finfo(array.dtype).eps * wave[-1] if array.dtype.kind == "f" else 0
        line = wave[0] + dw * steps
        even = bool(dw > 0 and np.allclose(wave, line, rtol=0, atol=_UNEVEN * dw + rounding))
    if not even:
        raise UsageError(
            "wavelength: is not an equidistant grid (expected an ascending array, Angstrom)"
        )
    # Round to the intended step: 0.8, not 0.7999999999999.
    meant = round(dw, 9)
    if np.allclose(wave[0] + meant * steps, line, rtol=0, atol=1e-9 + rounding):
        dw = meant
    return float(wave[0]), float(wave[-1]), float(dw)
