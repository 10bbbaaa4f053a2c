"""What a frame's header says of its arrays: kept right where spectra or bins are selected."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .errors import DataError, UsageError

if TYPE_CHECKING:
    from . import _core
    from ._frame import Frame

Keyword = tuple[str, int | float | str | None, str]

#: How much wavelengths and steps may differ, as part of a step, from the header's.
_UNEVEN = 0.01

#: What readers take where a keyword is absent.
_DEFAULTS = {"SPECMIN": 0, "FLUXSOLV": "patch", "NWAVESTP": 0, "HELIOCOR": 1.0, "CAMERA": ""}


def spectra_text(spectra: npt.NDArray[np.int64]) -> str:
    """Numbers of spectra in their order: "3,7,9:12" is 3, 7, 9, 10, 11."""
    breaks = np.flatnonzero(np.diff(spectra) != 1) + 1
    runs = np.split(spectra, breaks)
    return ",".join(f"{r[0]}" if len(r) == 1 else f"{r[0]}:{r[-1] + 1}" for r in runs)


def spectra_of(text: str) -> npt.NDArray[np.int64] | None:
    """The numbers of spectra_text; None for "". Raises DataError."""
    if not text:
        return None
    try:
        runs = [[int(end) for end in run.split(":")] for run in text.split(",")]
        return np.concatenate(
            [np.arange(run[0], run[1] if run[1:] else run[0] + 1, dtype=np.int64) for run in runs]
        )
    except ValueError:
        raise DataError(f"SPECLIST: '{text}' (expected numbers such as 3,7,9:12)") from None


def _own(frame: "Frame") -> list[Keyword]:
    """The keywords that follow from the frame, as they should be."""
    return [
        ("NSPEC", frame.nspec, "number of spectra"),
        ("SPECMIN", frame.specmin, "first spectrum, counted in the PSF"),
        ("WAVEMIN", float(frame.wave[0]), "[Angstrom] first wavelength"),
        ("WAVEMAX", float(frame.wave[-1]), "[Angstrom] last wavelength"),
        ("WAVESTEP", frame.step, "[Angstrom] wavelength step"),
        ("CAMERA", frame.camera, "camera"),
        ("FLUXSOLV", frame.flux_of, "flux of the whole frame, not of patches"),
        ("NWAVESTP", frame.nwavestep, "wavelength bins in a patch"),
        ("HELIOCOR", frame.heliocor, "barycentric factor"),
    ]


def _stated(header: "_core.Header", name: str) -> int | float | str | None:
    """The header's value of this keyword."""
    if name in ("CAMERA", "FLUXSOLV"):
        text = header.text(name)
        return None if text is None else text.strip(" '").lower()
    number = header.number(name)
    return int(number) if number is not None and number.is_integer() else number


def _agree(frame: "Frame", name: str, stated: Any, value: Any) -> bool:
    """Whether the header's value is the frame's."""
    tolerance = _UNEVEN * frame.step
    if name == "WAVEMAX":  # the one that was asked for, which need not be a bin
        tolerance += frame.step
    if name in ("WAVEMIN", "WAVEMAX", "WAVESTEP"):
        return bool(abs(stated - value) <= tolerance)
    return bool(stated == value)


def contradiction(frame: "Frame") -> str | None:
    """What the header says otherwise than the arrays; None where they agree."""
    rows = len(frame.header.fiber)
    if rows not in (0, frame.nspec):
        return f"the fibermap has {rows} rows, and the frame {frame.nspec} spectra"
    first = _stated(frame.header, "FIBERMIN")
    if rows > 0 and first not in (None, frame.header.fiber[0]):
        return f"FIBERMIN is {first}, and the fibermap begins with {frame.header.fiber[0]}"
    if frame.spectra is not None and len(frame.spectra) != frame.nspec:
        return f"spectra are {len(frame.spectra)} numbers, and the frame has {frame.nspec}"
    for name, value, _ in _own(frame):
        stated = _stated(frame.header, name)
        if stated is not None and not _agree(frame, name, stated, value):
            return f"{name} is {stated}, and the frame has {value}"
    return None


def for_file(frame: "Frame") -> "_core.Header":
    """The header to write: what it lacks, and a reader needs, is added.

    Raises UsageError where the header contradicts the arrays.
    """
    if wrong := contradiction(frame):
        raise UsageError(
            f"header: {wrong} (expected a frame of extract or read_frame, or a part of it, "
            "frame[10:13] or frame.select(...), which takes its header along)"
        )
    header = frame.header
    lacking: list[Keyword] = [
        (name, value, comment)
        for name, value, comment in _own(frame)
        if name in _DEFAULTS and value != _DEFAULTS[name] and _stated(header, name) is None
    ]
    if frame.spectra is not None:
        lacking.append(("SPECLIST", spectra_text(frame.spectra), "spectra, counted in the PSF"))
    elif header.text("SPECLIST") is not None:
        lacking.append(("SPECLIST", None, ""))
    return header.changed(lacking) if lacking else header


def of_selection(
    whole: "_core.Header", frame: "Frame", rows: npt.NDArray[np.int64]
) -> "_core.Header":
    """The header of `frame`, which is those rows of a frame with the header `whole`."""
    own = []
    for name, value, comment in _own(frame)[:4]:
        stated = _stated(whole, name)
        if stated is not None and not _agree(frame, name, stated, value):
            own.append((name, value, comment))
    first = _stated(whole, "FIBERMIN")
    if isinstance(first, int):
        fibers = whole.fiber
        shift = frame.specmin - int(whole.number("SPECMIN") or 0)
        fiber = fibers[rows[0]] if fibers else first + shift
        if fiber != first:
            own.append(("FIBERMIN", fiber, "first fiber"))
    if _stated(whole, "NDARK") not in (None, frame.counts.dark):
        own.append(("NDARK", frame.counts.dark, "bins without a usable pixel"))
    return whole.changed(own, rows.tolist())
