"""Images and PSFs, in any form that a caller may have them, as those of the extension module."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import UsageError

PathLike = str | os.PathLike[str]
#: A file, what read_preproc made of one, an object with pix (or image), ivar and mask as desispec's
#: Image, or a mapping with these names as gpu_specter has it.
ImageLike = PathLike | _core.Preproc | Mapping[str, Any] | Any
#: A file, what read_psf made of one, or what gpu_specter.io.read_psf made of one.
PsfLike = PathLike | _core.Psf | Mapping[str, Any]


def name_of(source: object, otherwise: str) -> str:
    """The path of a file; `otherwise` for what is in memory."""
    return os.fspath(source) if isinstance(source, str | os.PathLike) else otherwise


def _on_host(array: Any) -> Any:
    """The array; copied from the GPU where it is CuPy's."""
    return array.get() if hasattr(array, "__cuda_array_interface__") else array


def pixels(array: npt.ArrayLike) -> npt.NDArray[np.floating]:
    """Float32 where the array has no more than that, else float64; native and in C order."""
    values = np.asarray(_on_host(array))
    single = values.dtype.kind == "f" and values.dtype.itemsize <= 4
    return np.ascontiguousarray(values, dtype=np.float32 if single else np.float64)


def make_preproc(
    image: npt.ArrayLike, ivar: npt.ArrayLike, mask: npt.ArrayLike | None = None, camera: str = ""
) -> _core.Preproc:
    """A Preproc of arrays [ny, nx]: electron, electron^-2, and bits of which 0 is good."""
    bits = None
    if mask is not None:
        # The bits are what counts: of an int16 or int32 too, which FITS has.
        given = np.asarray(_on_host(mask))
        if given.dtype.kind not in "iub":
            raise UsageError(f"mask: is of {given.dtype} (expected integers)")
        bits = np.ascontiguousarray(given).astype(np.uint32)
    return _core.make_preproc(pixels(image), pixels(ivar), bits, camera.lower())


def as_preproc(image: ImageLike) -> tuple[_core.Preproc, bool]:
    """The image, and whether nobody else holds it."""
    if isinstance(image, _core.Preproc):
        return image, False
    if isinstance(image, str | os.PathLike):
        return _core.read_preproc(os.fspath(image)), True
    if isinstance(image, Mapping):
        missing = [name for name in ("image", "ivar") if name not in image]
        if missing:
            raise UsageError(f"image: the mapping has no {missing[0]!r} (expected image and ivar)")
        header = image.get("imagehdr") or image.get("meta") or {}
        camera = image.get("camera") or header.get("CAMERA", "")
        return make_preproc(image["image"], image["ivar"], image.get("mask"), camera), True
    values = getattr(image, "pix", getattr(image, "image", None))
    if values is None or not hasattr(image, "ivar"):
        raise UsageError(
            f"image: {type(image).__name__} has no pix and ivar (expected a file, a Preproc, "
            "a mapping, or an object with pix, ivar and mask)"
        )
    camera = getattr(image, "camera", None) or ""
    return make_preproc(values, image.ivar, getattr(image, "mask", None), camera), True


def as_psf(psf: PsfLike) -> _core.Psf:
    """The PSF."""
    if isinstance(psf, _core.Psf):
        return psf
    if isinstance(psf, str | os.PathLike):
        return _core.read_psf(os.fspath(psf))
    return _psf_of_tables(psf)


def _psf_of_tables(psf: Mapping[str, Any]) -> _core.Psf:
    """A PSF from the tables that gpu_specter.io.read_psf gives: PSF, XTRACE and YTRACE."""
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
        )
    except UsageError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"psf: {error} (expected a file, a Psf, or what gpu_specter.io.read_psf returns)"
        ) from error
