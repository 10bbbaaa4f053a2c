"""Converts arguments of any accepted form to those of the extension module.

What cannot be one is a UsageError of one line that names the argument.
"""

import operator
import os
import textwrap
from collections.abc import Iterable
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


def whole(name: str, value: Any) -> int:
    """A 32-bit integer."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{name}: {shown(value)} (expected an integer)") from None
    if not -(2**31) <= number < 2**31:
        raise UsageError(f"{name}: {shown(number)} (expected a 32-bit integer)")
    return number


def seed_of(value: Any) -> int:
    """The seed of a simulation."""
    try:
        if 0 <= (seed := operator.index(value)) < 2**63:
            return seed
    except TypeError:
        pass
    text = value if isinstance(value, str) else shown(value)
    raise UsageError(f"seed: '{text}' (expected an integer from 0 to 2^63 - 1)")


def real(name: str, value: Any) -> float:
    """A number."""
    try:
        if not isinstance(value, str | bytes):
            return float(value)
    except (OverflowError, TypeError, ValueError):
        pass
    raise UsageError(f"{name}: {shown(value)} (expected a number)")


def choice(_name: str, value: object) -> str:
    """A name, which the extension module checks."""
    return value if isinstance(value, str) else shown(value)


def cameras_of(value: str | Iterable[str]) -> str:
    """Comma-separated names of cameras."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return choice("cameras", value)
    return ",".join(choice("cameras", one) for one in value)


def _text(value: Any) -> str:
    """The value of an option as on the command line."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple | list):
        return ",".join(_text(one) for one in value)
    try:
        return str(operator.index(value))
    except TypeError:
        pass
    try:
        return shown(value) if isinstance(value, bytes) else repr(float(value))
    except (OverflowError, TypeError, ValueError):
        return shown(value)


def make_options(*, model: bool, gpu: bool, write_f: bool = False, **options: Any) -> _core.Options:
    """Extraction options, by _core.make_options; None is the default."""
    texts = {name: _text(value) for name, value in options.items() if value is not None}
    return _core.make_options(texts, bool(model), bool(write_f), bool(gpu))


def make_barycentric(
    of_all: object, by_obstype: object, heliocor: float | None, iers: str | None
) -> _core.Barycentric:
    """Barycentric settings, by _core.make_barycentric."""
    factor = None if heliocor is None else real("heliocor", heliocor)
    return _core.make_barycentric(bool(of_all), bool(by_obstype), factor, iers)
