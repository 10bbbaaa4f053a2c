"""Plain arrays of what astropy and NumPy wrap: units are converted, masks are kept apart."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import shown
from .errors import UsageError


def _quantity(values: Any, of: Any) -> Any:
    """The values of an astropy column, with its unit if it has one; anything else as it is."""
    unit = getattr(of, "unit", None)
    return values if unit is None or hasattr(of, "to_value") else np.asarray(values) << unit


def converted(name: str, value: Any, unit: str) -> Any:
    """The value of a Quantity or a column in `unit`; what has no unit is returned as it is.

    Raises UsageError where the unit cannot be converted.
    """
    value = _quantity(value, value)
    if not hasattr(value, "unit") or not hasattr(value, "to_value"):
        return value
    try:
        return value.to_value(unit)
    except (TypeError, ValueError):  # astropy's UnitConversionError is both
        raise UsageError(f"{name}: is in {value.unit or 'no unit'} (expected {unit})") from None


def _unmasked(value: Any) -> tuple[Any, npt.NDArray[np.bool_] | None]:
    """The values of a masked array, NumPy's or astropy's, and what is masked; None: nothing."""
    if isinstance(value, np.ma.MaskedArray):
        values = _quantity(value.data, value)
        return values, np.ma.getmaskarray(value) if value.mask is not np.ma.nomask else None
    if hasattr(value, "unmasked") and hasattr(value, "mask"):
        return value.unmasked, np.asarray(value.mask, dtype=bool)
    return value, None


def plain(name: str, value: Any, unit: str) -> tuple[Any, npt.NDArray[np.bool_] | None]:
    """An array without unit, in `unit`, and the mask of a masked array; None without one."""
    if hasattr(value, "__cuda_array_interface__"):  # CuPy's: copied to the host
        value = value.get()
    values, masked = _unmasked(value)
    return converted(name, values, unit) if unit else values, masked


def refuse_masked(name: str, value: Any, unit: str) -> Any:
    """The plain array; UsageError if one of its elements is masked."""
    values, masked = plain(name, value, unit)
    if masked is not None and masked.any():
        raise UsageError(f"{name}: {shown(value)} has masked elements (expected none)")
    return values
