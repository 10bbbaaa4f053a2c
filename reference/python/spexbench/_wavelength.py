"""Wavelength grids of any accepted form."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import shown
from ._plain import converted, refuse_masked
from .errors import UsageError

Grid = tuple[float, float, float]  # wmin, wmax, dw, Angstrom
Wavelength = str | Sequence[float] | npt.NDArray[np.floating] | Any  # Any: a Quantity

#: Tolerance of unequal steps, relative to the step, in addition to the array's rounding.
_UNEVEN = 1e-6


def plain_wavelength(value: Any) -> Any:
    """The wavelengths in Angstrom, without units; three numbers stay a tuple."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        value = tuple(converted("wavelength", one, "Angstrom") for one in value)
        return value if len(value) == 3 else _array_of(value)
    return refuse_masked("wavelength", value, "Angstrom")


def _array_of(values: tuple[Any, ...]) -> Any:
    """Many wavelengths as an array; anything else as it is."""
    numbers = len(values) > 3 and all(isinstance(v, int | float | np.number) for v in values)
    return np.asarray(values, dtype=np.float64) if numbers else values


def grid_of(given: Any) -> Grid:
    """(wmin, wmax, dw) of three numbers, their text, or an array of all wavelengths."""
    value = plain_wavelength(given)
    if isinstance(value, np.ndarray):
        return _grid_of_array(value)
    try:
        wmin, wmax, dw = (float(v) for v in (value.split(",") if isinstance(value, str) else value))
    except (TypeError, ValueError):
        raise UsageError(
            f"wavelength: {shown(given)} is not three numbers "
            "(expected wmin, wmax, dw in Angstrom, or an array of all wavelengths)"
        ) from None
    if wmin < wmax < dw:
        raise UsageError(
            f"wavelength: {shown(given)} has a step beyond its range "
            "(expected wmin, wmax, dw in Angstrom, or a NumPy array of three wavelengths)"
        )
    return wmin, wmax, dw


def _grid_of_array(array: npt.NDArray[Any]) -> Grid:
    if array.shape == (1,):
        raise UsageError(
            "wavelength: is a single one, without a step (expected two or more, or wmin, wmax, dw "
            "with wmin = wmax)"
        )
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
