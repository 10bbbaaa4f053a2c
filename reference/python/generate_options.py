"""Writes the module spexbench._options from the table of options in the extension module.

usage: generate_options.py FOLDER OUT, where FOLDER holds the extension module _core.
"""

import re
import sys
from pathlib import Path

TYPES = {
    "bits": "int | str | None",
    "wavelength": "Wavelength | None",
    "xyrange": "tuple[int, int, int, int] | list[int] | str | None",
}
HEAD = '''"""The options of an extraction, by generate_options.py."""

from typing import TypedDict

from ._wavelength import Wavelength


class ExtractOptions(TypedDict, total=False):
    """The keywords of `extract` that are options of the programs, too."""

'''


def default_of(kind: str, text: str) -> object:
    """The default in Python. Options with a type that has None find their default themselves."""
    if "None" in TYPES.get(kind, kind):
        return None
    return {"int": int, "float": float}.get(kind, str)(text)


def help_of(text: str) -> str:
    """The text with the names of options in Python."""
    named = re.sub(r"--([a-z-]+)", lambda name: name[1].replace("-", "_"), text)
    return named[0].lower() + named[1:] if named[1:2].islower() else named


def choices(name: str, names: list[str]) -> str:
    """Their list, where the help does not have it."""
    return ": " + ", ".join(names) if name == "milestone" else ""


def module(options: list[tuple[str, str, str, str, list[str]]]) -> str:
    """The text of the module."""
    members = [f"    {name}: {TYPES.get(kind, kind)}\n" for name, kind, *_ in options]
    defaults = [f"    {name!r}: {default_of(kind, text)!r},\n" for name, kind, text, *_ in options]
    helps = [
        f"    {name!r}: {help_of(text) + choices(name, names)!r},\n"
        for name, _, _, text, names in options
    ]
    return (
        f"{HEAD}{''.join(members)}\n\n"
        f"#: Their defaults; None stands for a default that other arguments decide.\n"
        f"DEFAULTS: dict[str, object] = {{\n{''.join(defaults)}}}\n"
        f"#: What they mean.\nHELP = {{\n{''.join(helps)}}}\n"
    )


def main() -> None:
    """Imports the extension module alone, which needs no NumPy."""
    sys.path.insert(0, sys.argv[1])
    import _core

    Path(sys.argv[2]).write_text(module(_core.describe_options()), "utf-8")


if __name__ == "__main__":
    main()
