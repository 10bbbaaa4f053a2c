"""The extractor's command line in a result file, and what it makes of a frame."""

from pathlib import PurePath
from typing import Any

SHORT = {"-w": "--wavelength", "-s": "--specmin", "-n": "--nspec", "-r": "--regularize"}


def options_of(data: dict[str, Any]) -> dict[str, str]:
    """Options of the extractor's command line in a result; flags have an empty value."""
    argv = data["launch"]["argv"]
    programs = [i for i, word in enumerate(argv) if PurePath(word).name.startswith("spex-")]
    words = argv[programs[0] + 1 :] if programs else []
    options: dict[str, str] = {}
    last = ""
    for word in words:
        if word.startswith("-") and word[1:2] != "" and not word[1].isdecimal():
            name, _, value = word.partition("=")
            last = SHORT.get(name, name)
            options[last] = value
        elif last:
            options[last] = f"{options[last]} {word}".strip()
    return options


def alone(data: dict[str, Any]) -> bool:
    """Whether each run is of one frame, whose files are on the command line."""
    return data["launch"]["alone"]


def whole_frames(data: dict[str, Any]) -> bool:
    """Whether the frames of a result are whole: all fibers and wavelengths of a camera."""
    cut = {"--nspec", "--specmin", "--wavelength"} & set(options_of(data))
    return data["inputs"]["generator"]["size"] == "full" and not cut
