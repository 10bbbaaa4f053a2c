"""Names the options of an extraction in the signature and the help of a function."""

import inspect
import textwrap
from collections.abc import Callable
from typing import TypeVar, get_type_hints

from ._options import DEFAULTS, HELP, ExtractOptions

Function = TypeVar("Function", bound=Callable[..., object])


def _lines(name: str) -> str:
    default = "" if DEFAULTS[name] is None else f" (default {DEFAULTS[name]!r})"
    text = f"{name}: {HELP[name]}{default}."
    return textwrap.fill(text, 100, initial_indent=" " * 8, subsequent_indent=" " * 12) + "\n"


def with_options(function: Function) -> Function:
    """Replaces `**options` by the options, one by one."""
    types = get_type_hints(ExtractOptions)
    signature = inspect.signature(function)
    named = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=types[name]
        )
        for name, default in DEFAULTS.items()
    ]
    others = [one for one in signature.parameters.values() if one.name != "options"]
    signature = signature.replace(parameters=[*others, *named])
    function.__signature__ = signature  # type: ignore[attr-defined]
    of_options = "".join(_lines(name) for name in DEFAULTS)
    function.__doc__ = (function.__doc__ or "").replace(
        "\n    Returns:", of_options + "\n    Returns:", 1
    )
    return function
