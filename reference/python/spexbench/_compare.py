"""The one comparison of two frames, and of a frame with a truth."""

import json
import os
from dataclasses import dataclass
from typing import Any

from . import _core
from ._inputs import PathLike
from .errors import UsageError


@dataclass(frozen=True)
class Comparison:
    """What spex-compare has to say; true where everything passes."""

    ok: bool  #: whether every check passes
    table: str  #: a line a check; the last says "ok: ..." or "FAIL: ..."
    report: dict[str, Any]  #: the JSON of docs/results.md

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.table


def compare(
    result: PathLike,
    expected: PathLike | None = None,
    *,
    truth: PathLike | None = None,
    tolerance: str = "production",
) -> Comparison:
    """Compares a frame's file with another one, or with the truth that was simulated.

    Args:
        result: file of the frame under test.
        expected: file of the frame that is expected.
        truth: file of the truth, of simulate(on_grid=True).
        tolerance: production, masked, unpadded, identical, or FILE.json:CASE, a case of a
            cases.json.

    Returns:
        What was compared, and how it came out.

    Raises:
        UsageError: there is nothing to compare with, or no tolerance of that name.
        DataError: a file is no frame, or the truth is not of it.

    >>> grid = (5760, 5840, 0.8)
    >>> frame = extract(night.preproc, night.psf, wavelength=grid, output=night.frame)
    >>> bool(compare(night.frame, night.frame, tolerance="identical"))
    True
    >>> pulls = compare(night.frame, truth=night.truth).report["truth"]
    >>> abs(pulls["std"] - 1) < pulls["limits"]["std"]
    True
    """
    if expected is None and truth is None:
        raise UsageError("nothing to compare with (expected expected=, or truth=)")
    ok, table, report = _core.compare(
        os.fspath(result),
        None if expected is None else os.fspath(expected),
        None if truth is None else os.fspath(truth),
        tolerance,
    )
    return Comparison(ok, table, json.loads(report))
