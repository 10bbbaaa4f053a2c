"""Command lines of desi_extract_spectra, read by its own parser and by ours."""

import argparse
import contextlib
import io
import json
import random
import subprocess
from pathlib import Path

from desispec.scripts import extract
from table import Findings

#: What words may follow an option that takes a value; "x" and the like are wrong for numbers.
TEXTS = ["a.fits", "./a b.fits", "-", "", "a=b"]
WHOLE = ["0", "25", "-5", "+50", "025", "x", "5.0", ""]
REAL = ["0", "0.01", "1e-3", ".5", "+2", "-0.5", "x"]
GRIDS = ["3600.0,9824.0,0.8", "3600, 5800,0.8", "5.76e3,7620,+.8", "3600,5800", "a,b,c", "1,2,3,4"]
VALUES = {
    **dict.fromkeys(("input", "fibermap", "psf", "output", "model"), TEXTS),
    **dict.fromkeys(("specmin", "nspec", "bundlesize", "nsubbundles", "nwavestep"), WHOLE),
    **dict.fromkeys(("regularize", "psferr", "pixpad-frac", "wavepad-frac"), REAL),
    "wavelength": GRIDS,
}
FLAGS = ["verbose", "mpi", "decorrelate-fibers", "no-scores", "barycentric-correction"]
FLAGS += ["use-specter", "no-gpu"]
SHORT = {name: name[0] for name in ("input", "fibermap", "psf", "output", "model", "wavelength")}
SHORT |= {"specmin": "s", "nspec": "n", "regularize": "r", "verbose": "v"}
FILES = ["-i", "I", "-p", "P", "-o", "O"]

#: Options of ours that argparse would take for abbreviations of longer ones; ours are meant.
OURS = {"--decorrelate", "--wavepad"}


def theirs(words: list[str]) -> dict[str, object] | None:
    """What desispec's parser makes of them; None where it refuses them."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            values = vars(extract.parse(words))
        if values["wavelength"] is not None:
            # As the extraction reads it.
            wmin, wmax, dw = map(float, values["wavelength"].split(","))
            values["wavelength"] = [wmin, wmax, dw]
    except (SystemExit, ValueError, argparse.ArgumentError):
        return None
    return {name: value for name, value in values.items() if value is not None}


def ours(lines: list[list[str]], program: Path) -> list[dict[str, object] | None]:
    """The same by spex-cpu's parser."""
    text = "".join(json.dumps(words) + "\n" for words in lines)
    out = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout
    parsed = map(json.loads, out.splitlines())
    return [p and {name: value for name, value in p.items() if value is not None} for p in parsed]


def written(rng: random.Random, name: str) -> list[str]:
    """An option, under one of its names or a beginning of it, with a value where it takes one."""
    word = f"--{name[: rng.randint(1, len(name))] if rng.random() < 0.6 else name}"
    value = rng.choice(VALUES[name]) if name in VALUES else None
    if name in SHORT and rng.random() < 0.4:
        word = f"-{SHORT[name]}"
        if value is not None and value and rng.random() < 0.4:
            return [word + rng.choice(["", "="]) + value]
    if value is None or rng.random() < 0.04:
        return [word]  # without its value: refused, unless the next word can be one
    return [f"{word}={value}"] if word[1] == "-" and rng.random() < 0.4 else [word, value]


def command_lines() -> list[list[str]]:
    """Every beginning of every name, and many lines of several options."""
    lines = [[]]
    for name in [*VALUES, *FLAGS]:
        value = {"wavelength": "1,2,3"}.get(name, "7")
        for length in range(1, len(name) + 1):
            word = f"--{name[:length]}"
            lines += [[*FILES, word], [*FILES, word, value], [*FILES, f"{word}={value}"]]
    rng = random.Random(1)
    for _ in range(4000):
        chosen = rng.sample([*VALUES, *FLAGS], rng.randint(1, 4))
        if rng.random() < 0.2:  # given twice, or three times
            chosen = [rng.choice(["input", "model", *FLAGS]) for _ in range(3)]
        lines.append(FILES + [word for name in chosen for word in written(rng, name)])
    return [words for words in lines if not {w.split("=")[0] for w in words} & OURS]


def run(findings: Findings, program: Path) -> None:
    """Lines that desispec takes must come out the same; those it refuses are of no matter."""
    lines = command_lines()
    wrong = []
    taken = refused = 0
    for words, mine in zip(lines, ours(lines, program), strict=True):
        expected = theirs(words)
        if expected is None:
            refused += mine is None
            continue
        taken += 1
        if mine != expected:
            wrong.append(" ".join(words))
    findings.at_least("command lines that desispec's parser takes", "options", taken, 1000)
    findings.none("of these, read otherwise by spex-cpu", "options", wrong)
    alone = len(lines) - taken - refused
    findings.at_most("command lines that spex-cpu alone takes", "options", alone, 0)
