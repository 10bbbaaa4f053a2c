"""Compares two frames, or a frame with a truth."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import PathLike, path_of, path_or_none
from ._frame import Frame
from .errors import UsageError


@dataclass(frozen=True)
class Comparison:
    """The report of spex-compare; true if all checks pass."""

    ok: bool  #: whether every check passes
    table: str  #: one line per check; the last line is "ok: ..." or "FAIL: ..."
    report: dict[str, Any]  #: the JSON of docs/results.md

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.table


#: HDUs of a file, and the arrays of a Frame that correspond to them.
_HDUS = {
    "FLUX": "flux",
    "IVAR": "ivar",
    "MASK": "mask",
    "WAVELENGTH": "wave",
    "RESOLUTION": "resolution",
    "CHI2PIX": "chi2pix",
    "PIXMASK_FRACTION": "pixmask_fraction",
    "F": "f",
}


#: HDUs that files hold in float32.
_SINGLE = ("FLUX", "IVAR", "RESOLUTION", "CHI2PIX", "F")


def _stored(hdu: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array in the precision that it was stored in: what float32 holds is of a file.

    A difference by the rounding to float32 then counts as none, as between files.
    """
    if hdu in _SINGLE and array.dtype == np.float64:
        with np.errstate(over="ignore"):
            single = array.astype(np.float32)
        if np.array_equal(single, array, equal_nan=True):
            return single
    return array


def _frame_file(frame: Frame | PathLike, name: str) -> _core.FrameFile:
    """The data to compare; `name` is the name of a frame without a file."""
    if not isinstance(frame, Frame):
        return _core.read_frame(path_of(name, frame))
    file = _core.FrameFile(name, frame.specmin, frame.flux_of, frame.nwavestep)
    for hdu, attribute in _HDUS.items():
        values = getattr(frame, attribute)
        if values is None:  # a file without PIXMASK_FRACTION
            continue
        array = _stored(hdu, np.ascontiguousarray(values))
        file.add(hdu, array if array.dtype == np.float32 else array.astype(np.float64, copy=False))
    return file


def compare(
    result: Frame | PathLike,
    expected: Frame | PathLike | None = None,
    *,
    truth: PathLike | None = None,
    tolerance: PathLike = "production",
) -> Comparison:
    """Compares a frame with another frame, or with the simulated truth.

    A Frame has no tables: where one of the two is a Frame, FIBERMAP and SCORES of the other are not
    compared.

    Args:
        result: the frame under test, as `extract` returns it, or its file.
        expected: the frame that is expected, or its file.
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
    >>> bool(compare(frame, night.frame))
    True
    >>> pulls = compare(frame, truth=night.truth).report["truth"]
    >>> abs(pulls["std"] - 1) < pulls["limits"]["std"]
    True
    """
    if expected is None and truth is None:
        raise UsageError("nothing to compare with (expected expected=, or truth=)")
    ok, table, report = _core.compare(
        _frame_file(result, "result"),
        None if expected is None else _frame_file(expected, "expected"),
        path_or_none("truth", truth),
        path_of("tolerance", tolerance),
    )
    return Comparison(ok, table, json.loads(report))
