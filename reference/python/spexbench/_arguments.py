"""Converts arguments of any accepted form to those of the extension module.

What cannot be one is a UsageError of one line, under the command line's name of the option.
"""

import operator
import os
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

from . import _core
from .errors import UsageError

PathLike = str | bytes | os.PathLike[str] | os.PathLike[bytes]
#: The same, for isinstance.
PATHS = (str, bytes, os.PathLike)


def shown(value: object) -> str:
    """The value for an error message."""
    return textwrap.shorten(repr(value), 60, placeholder=" ...")


def path_of(name: str, value: object) -> str:
    """A path as text."""
    try:
        path = os.fsdecode(value)  # type: ignore[arg-type]
        path.encode()
    except TypeError:
        wrong = "is not a path (expected text, bytes or an os.PathLike)"
    except UnicodeEncodeError:
        wrong = "is not UTF-8 (expected a UTF-8 path)"
    else:
        return path
    raise UsageError(f"{name}: {shown(value)} {wrong}") from None


def path_or_none(name: str, value: object) -> str | None:
    """A path as text, or None."""
    return None if value is None else path_of(name, value)


def _option(name: str) -> str:
    """The option's name on the command line."""
    return "--" + name.replace("_", "-")


def whole(name: str, value: Any) -> int:
    """A 32-bit integer."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{_option(name)}: {shown(value)} (expected an integer)") from None
    if not -(2**31) <= number < 2**31:
        raise UsageError(f"{_option(name)}: {shown(number)} (expected a 32-bit integer)")
    return number


def seed_of(value: Any) -> int:
    """The seed of a simulation."""
    try:
        if 0 <= (seed := operator.index(value)) < 2**63:
            return seed
    except TypeError:
        pass
    text = value if isinstance(value, str) else shown(value)
    raise UsageError(f"--seed: '{text}' (expected an integer from 0 to 2^63 - 1)")


def real(name: str, value: Any) -> float:
    """A number."""
    try:
        if not isinstance(value, str | bytes):
            return float(value)
    except (OverflowError, TypeError, ValueError):
        pass
    raise UsageError(f"{_option(name)}: {shown(value)} (expected a number)")


def mask_bits(_name: str, value: Any) -> int:
    """A set of bits: a number, or text as on the command line."""
    bits = -1
    if not isinstance(value, str):
        try:
            bits = operator.index(value)
        except TypeError:
            value = shown(value)
    elif value == "all":
        bits = 2**32 - 1
    elif re.fullmatch("0[xX][0-9a-fA-F]+", value):
        bits = int(value[2:], 16)
    elif re.fullmatch("[0-9]+", value):
        bits = int(value)
    if not 0 <= bits < 2**32:
        raise UsageError(
            f"--mask-bits: '{value}' is not a set of bits "
            "(expected a number such as 767 or 0x2FF, or all)"
        )
    return bits


def choice(_name: str, value: object) -> str:
    """A name, which the extension module checks."""
    return value if isinstance(value, str) else shown(value)


def cameras_of(value: str | Iterable[str]) -> str:
    """Comma-separated names of cameras."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return choice("cameras", value)
    return ",".join(choice("cameras", one) for one in value)


def _flag(_name: str, value: object) -> bool:
    return bool(value)


def _or_none(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: None if value is None else check(name, value)


_OPTIONS: dict[str, Callable[[str, Any], Any]] = {
    "wavelength": lambda _, three: three,
    "specmin": whole,
    "nspec": _or_none(whole),
    "regularize": real,
    "bundlesize": whole,
    "nsubbundles": _or_none(whole),
    "nwavestep": whole,
    "wavepad": whole,
    "pixpad_frac": real,
    "wavepad_frac": real,
    "psferr": _or_none(real),
    "mask_bits": _or_none(mask_bits),
    "model": _flag,
    "method": _or_none(choice),
    "decorrelate": choice,
    "flux": choice,
    "chi2_pixels": choice,
    "bad2dfit": choice,
    "milestone": _or_none(choice),
    "gpu": _flag,
}


def make_options(**options: Any) -> _core.Options:
    """Extraction options, by _core.make_options."""
    return _core.make_options(**{name: _OPTIONS[name](name, options[name]) for name in options})


def make_barycentric(
    of_all: object, by_obstype: object, heliocor: float | None, iers: str | None
) -> _core.Barycentric:
    """Barycentric settings, by _core.make_barycentric."""
    factor = None if heliocor is None else real("heliocor", heliocor)
    return _core.make_barycentric(bool(of_all), bool(by_obstype), factor, iers)
