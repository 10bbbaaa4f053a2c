"""Parts of a frame: some of its spectra, and a range of its wavelengths."""

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from . import _header
from ._arguments import shown
from .errors import OutOfRangeError, UsageError

if TYPE_CHECKING:
    from ._frame import Frame

#: Spectra of a frame by their places: a number, a slice, a mask, or an array of numbers.
Places = SupportsIndex | slice | Iterable[Any]


def _rows(frame: "Frame", key: Any) -> npt.NDArray[np.int64]:
    """The places of the spectra, each once."""
    every = np.arange(frame.nspec)
    expected = f"numbers below {frame.nspec}, a slice, or a mask of {frame.nspec}"
    try:
        places = key if isinstance(key, slice) else np.asarray(key)
        if isinstance(places, np.ndarray) and places.size == 0:
            places = slice(0)
        if isinstance(places, np.ndarray) and (places.ndim > 1 or places.dtype.kind not in "iub"):
            raise UsageError(f"frame[...]: {shown(key)} (expected {expected})")
        rows = np.atleast_1d(every[places])
    except IndexError:
        raise OutOfRangeError(f"frame[...]: {shown(key)} (expected {expected})") from None
    if len(rows) == 0:
        raise UsageError(f"frame[...]: {shown(key)} selects no spectrum (expected one or more)")
    if len(set(rows.tolist())) != len(rows):
        raise UsageError(f"frame[...]: {shown(key)} selects a spectrum twice (expected once)")
    return rows


def _bins(frame: "Frame", key: Any) -> slice:
    """The range of bins."""
    if isinstance(key, slice):
        first, last, step = key.indices(frame.nwave)
        if step == 1 and first < last:
            return slice(first, last)
    raise UsageError(
        f"frame[..., bins]: {shown(key)} (expected a slice of neighbors, such as 100:200)"
    )


def _part(frame: "Frame", rows: npt.NDArray[np.int64], bins: slice) -> "Frame":
    """The frame of these rows and bins, with what the header says of them."""
    every = frame.fibers
    if len(every) != frame.nspec:
        raise UsageError(f"header: {_header.contradiction(frame)} (expected a whole frame)")
    fibers = every[rows]
    consecutive = bool((np.diff(fibers) == 1).all())

    def cut(array: Any) -> Any:
        return None if array is None else np.ascontiguousarray(array[rows][..., bins])

    ivar = cut(frame.ivar)
    part = dataclasses.replace(
        frame,
        wave=frame.wave[bins].copy(),
        ivar=ivar,
        model=None,
        rejected=None,
        specmin=int(fibers[0]),
        spectra=None if consecutive else fibers,
        counts=dataclasses.replace(frame.counts, dark=int((ivar == 0).sum())),
        **{
            name: cut(getattr(frame, name))
            for name in ("flux", "mask", "resolution", "chi2pix", "pixmask_fraction", "f")
        },
    )
    return dataclasses.replace(part, header=_header.of_selection(frame.header, part, rows))


def item(frame: "Frame", key: Any) -> "Frame":
    """Frame.__getitem__."""
    rows, bins = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
    return _part(frame, _rows(frame, rows), _bins(frame, bins))


def select(
    frame: "Frame", fibers: int | Iterable[int] | None, wave: tuple[float, float] | None
) -> "Frame":
    """Frame.select."""
    rows, bins = np.arange(frame.nspec), slice(0, frame.nwave)
    if fibers is not None:
        wanted = np.atleast_1d(np.asarray(fibers)).tolist()
        place = {int(fiber): row for row, fiber in enumerate(frame.fibers)}
        missing = [fiber for fiber in wanted if fiber not in place]
        if missing:
            there = _header.spectra_text(frame.fibers)
            raise OutOfRangeError(f"fibers: {shown(missing[0])} (expected some of {there})")
        rows = _rows(frame, [place[fiber] for fiber in wanted])
    if wave is not None:
        bins = _range(frame, wave)
    return _part(frame, rows, bins)


def _range(frame: "Frame", wave: Any) -> slice:
    """The bins from wave[0] to wave[1], Angstrom, both included."""
    try:
        low, high = (float(end) for end in wave)
    except (TypeError, ValueError):
        raise UsageError(f"wave: {shown(wave)} (expected two wavelengths, Angstrom)") from None
    slack = 1e-6 * frame.step
    inside = np.flatnonzero((frame.wave >= low - slack) & (frame.wave <= high + slack))
    if len(inside) == 0:
        raise OutOfRangeError(
            f"wave: no bin from {low:g} to {high:g} Angstrom "
            f"(expected some of {frame.wave[0]:g} to {frame.wave[-1]:g})"
        )
    return slice(int(inside[0]), int(inside[-1]) + 1)
