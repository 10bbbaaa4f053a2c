"""Converts images and PSFs of any accepted form to those of the extension module."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import PATHS, PathLike, path_of
from ._image_header import cards_of, fibermap_of
from ._plain import plain
from ._psf import Psf
from .errors import Error, UsageError

#: A file, the result of read_preproc, an object with pix (or image), ivar and mask like desispec's
#: Image, or a mapping with these names like gpu_specter's.
ImageLike = PathLike | _core.Preproc | Mapping[str, Any] | Any
#: A file, the result of read_psf, or the result of gpu_specter.io.read_psf.
PsfLike = PathLike | _core.Psf | Mapping[str, Any]
_ABSENT = object()


def file_of(source: object, name: str) -> str | None:
    """The path of a file in the form that exists; None for data in memory.

    `name` is used in errors.
    """
    return _core.find_form(path_of(name, source)) if isinstance(source, PATHS) else None


def name_of(source: object, name: str) -> str:
    """The path of a file; `name` for data in memory."""
    return file_of(source, name) or name


def read_preproc(path: PathLike, *, no_mask: bool = False, checksums: bool = True) -> _core.Preproc:
    """Reads a file preproc-CAMERA-EXPID.fits (.gz, .fz).

    Args:
        path: of the file.
        no_mask: accept a file without MASK, whose pixels are all good.
        checksums: compare DATASUM and CHECKSUM where the file has them.

    Raises:
        UsageError: it is no path.
        DataError: the file is missing or malformed, has no MASK, or a checksum is wrong.

    >>> image = read_preproc(night.preproc)
    >>> image.camera, image.image.shape
    ('r0', (300, 200))
    """
    return _core.read_preproc(path_of("path", path), bool(no_mask), bool(checksums))


def read_psf(path: PathLike, *, checksums: bool = True) -> Psf:
    """Reads a file psf-CAMERA-EXPID.fits.

    Args:
        path: the file.
        checksums: compare DATASUM and CHECKSUM where the file has them.

    Raises:
        UsageError: it is no path.
        DataError: the file is missing or malformed, or a checksum is wrong.

    >>> read_psf(night.psf).nfiber
    25
    """
    return Psf(_core.read_psf(path_of("path", path), bool(checksums)))


def pixels(values: npt.ArrayLike) -> npt.NDArray[np.floating]:
    """Float32 if it holds the values exactly, else float64; native and in C order."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise UsageError(f"image, ivar: are of {array.dtype} (expected real numbers)")
    single = array.dtype.kind == "f" and array.dtype.itemsize <= 4
    return np.ascontiguousarray(array, dtype=np.float32 if single else np.float64)


def _bits(mask: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """The bits of a mask of signed or unsigned integers: FITS has int16 and int32."""
    given = np.asarray(mask)
    if given.dtype.kind not in "iub":
        raise UsageError(f"mask: is of {given.dtype} (expected integers)")
    if given.dtype.itemsize > 4 and given.size > 0:
        for value in int(given.min()), int(given.max()):
            if not -(2**31) <= value < 2**32:
                raise UsageError(f"mask: holds {value} (expected 32-bit integers)")
    return np.ascontiguousarray(given).astype(np.uint32)


def make_preproc(
    image: npt.ArrayLike, ivar: npt.ArrayLike, mask: npt.ArrayLike | None = None, camera: str = ""
) -> _core.Preproc:
    """A Preproc from arrays [ny, nx]: electron, electron^-2, and mask bits (0: good).

    Without a mask all pixels are good. Pixels that are masked in a masked array, of NumPy or of
    astropy, are not used: their ivar is 0. Quantities are converted.

    Raises:
        UsageError: shapes differ, or the mask is not of integers, or needs more than 32 bits, or a
            unit is no multiple of electron or electron^-2.

    >>> image = np.ma.masked_greater(np.full((9, 9), 5.0), 4)
    >>> float(make_preproc(image, np.ones((9, 9))).ivar.sum())
    0.0
    """
    return _core.make_preproc(*_arrays(image, ivar, mask), camera, [], b"")


def unpickled(*parts: Any) -> _core.Preproc:
    """A Preproc from its pickle; nanobind's functions have none."""
    return _core.make_preproc(*parts)


def _arrays(
    image: Any, ivar: Any, mask: Any
) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.floating], npt.NDArray[np.uint32] | None]:
    """The arrays of make_preproc: float32 or float64, uint32 or None."""
    value, unused = plain("image", image, "electron")
    weight, no_weight = plain("ivar", ivar, "electron-2")
    bits, no_bits = (None, None) if mask is None else plain("mask", mask, "")
    weight = pixels(weight)
    for masked in (unused, no_weight, no_bits):
        if masked is None or not masked.any():
            continue
        if masked.shape != weight.shape:
            raise UsageError(
                f"ivar: has the shape {' x '.join(map(str, weight.shape))} "
                f"(expected {' x '.join(map(str, masked.shape))})"
            )
        weight = np.where(masked, weight.dtype.type(0), weight)
    return pixels(value), weight, None if bits is None else _bits(bits)


def _mask_of(image: object, mask: Any, no_mask: bool) -> npt.ArrayLike | None:
    """The mask; an image may lack one only where that is said: by None, or by no_mask."""
    if mask is not _ABSENT:
        given: npt.ArrayLike | None = mask
        return given
    if no_mask:
        return None
    raise UsageError(
        f"image: {'the mapping' if isinstance(image, Mapping) else type(image).__name__} has no "
        "mask (expected one, or None; or no_mask=True, which takes all pixels as good)"
    )


def as_preproc(
    image: ImageLike, no_mask: bool = False, checksums: bool = True, header: bool = True
) -> tuple[_core.Preproc, bool]:
    """The image, and whether the caller owns it exclusively.

    Args:
        image: of any form.
        no_mask: it may lack a mask.
        checksums: compare a file's.
        header: take its header and its fibermap along.
    """
    if isinstance(image, _core.Preproc):
        return image, False
    if isinstance(image, PATHS):
        return _core.read_preproc(path_of("image", image), no_mask, checksums), True
    parts = _parts_of(image)
    meta, camera = parts["meta"], parts["camera"]
    if not camera and meta is not None:
        camera = str(meta.get("CAMERA", "") or "")
    arrays = _arrays(parts["image"], parts["ivar"], _mask_of(image, parts["mask"], no_mask))
    cards = cards_of(meta, camera) if header else []
    fibermap = fibermap_of(parts["fibermap"]) if header else b""
    return _core.make_preproc(*arrays, str(camera or ""), cards, fibermap), True


def _parts_of(image: Any) -> dict[str, Any]:
    """Arrays, header and fibermap of a mapping or an object; the mask may be _ABSENT."""
    if isinstance(image, Mapping):
        missing = [name for name in ("image", "ivar") if name not in image]
        if missing:
            raise UsageError(f"image: the mapping has no {missing[0]!r} (expected image and ivar)")
        get = image.get
    else:
        if callable(getattr(image, "filename", None)):  # fits.open
            raise UsageError(f"image: {image.filename()!r} is open (expected its name)")

        def get(name: str, otherwise: Any = None) -> Any:
            return getattr(image, name, otherwise)

        if get("pix", get("image")) is None or get("ivar") is None:
            raise UsageError(
                f"image: {type(image).__name__} has no pix and ivar (expected a file, a Preproc, "
                "a mapping, or an object with pix, ivar and mask)"
            )
    meta = get("imagehdr")
    return {
        "image": get("pix", get("image")),
        "ivar": get("ivar"),
        "mask": get("mask", _ABSENT),
        "camera": get("camera"),
        "meta": get("meta") if meta is None else meta,
        "fibermap": get("fibermap"),
    }


def as_psf(psf: PsfLike, checksums: bool = True) -> _core.Psf:
    """The PSF; `checksums`: compare a file's."""
    if isinstance(psf, _core.Psf):
        return psf
    if isinstance(psf, PATHS):
        return _core.read_psf(path_of("psf", psf), checksums)
    if callable(name := getattr(psf, "filename", None)):  # fits.open
        raise UsageError(f"psf: {name()!r} is open (expected its name)")
    if not isinstance(psf, Mapping):
        raise UsageError(
            f"psf: is a {type(psf).__name__} "
            "(expected a file, a Psf, or what gpu_specter.io.read_psf returns)"
        )
    return _psf_of_tables(psf)


def _text(value: Any) -> str | None:
    """A header's value as text; None if it is absent."""
    return None if value is None else str(value)


def _psf_of_tables(psf: Mapping[str, Any]) -> _core.Psf:
    """A PSF from the tables of gpu_specter.io.read_psf: PSF, XTRACE and YTRACE."""
    try:
        table, x, y = psf["PSF"], psf["XTRACE"], psf["YTRACE"]
        meta = table.meta
        degrees = range(meta["GHDEGX"] + 1), range(meta["GHDEGY"] + 1)
        names = ["GHSIGX", "GHSIGY", *(f"GH-{i}-{j}" for i in degrees[0] for j in degrees[1])]
        rows = [
            value.decode().strip() if isinstance(value, bytes) else str(value).strip()
            for value in table["PARAM"]
        ]
        coefficients = np.asarray(table["COEFF"])
        return _core.make_psf(
            x=np.ascontiguousarray(x["X"], dtype=np.float64),
            y=np.ascontiguousarray(y["Y"], dtype=np.float64),
            param=np.ascontiguousarray(
                [coefficients[rows.index(name)] for name in names], dtype=np.float64
            ),
            wavemin_x=x.meta["WAVEMIN"],
            wavemax_x=x.meta["WAVEMAX"],
            wavemin_y=y.meta["WAVEMIN"],
            wavemax_y=y.meta["WAVEMAX"],
            wavemin=meta["WAVEMIN"],
            wavemax=meta["WAVEMAX"],
            **{key.lower(): meta[key] for key in ("HSIZEX", "HSIZEY", "GHDEGX", "GHDEGY")},
            **{key.lower(): meta[key] for key in ("NPIX_X", "NPIX_Y")},
            psferr=meta.get("PSFERR", 0.01),
            camera=str(meta.get("CAMERA", "")),
            psftype=_text(meta.get("PSFTYPE")),
            psfver=_text(meta.get("PSFVER")),
            rows={
                name: np.ascontiguousarray(coefficients[rows.index(name)], dtype=np.float64)
                for name in ("STATUS", "BUNDLE", "TAILAMP")
                if name in rows
            },
            keywords={
                key: float(value)
                for key, value in meta.items()
                if key == "STATUS" or key.endswith("RCHI2")
            },
        )
    except Error:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"psf: {error} (expected a file, a Psf, or what gpu_specter.io.read_psf returns)"
        ) from error
