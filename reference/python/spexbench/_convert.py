"""A frame in the forms of other packages: astropy, specutils, desispec."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arguments import PATHS, path_of
from .errors import UsageError

if TYPE_CHECKING:
    from astropy.table import Table

    from ._frame import Frame

#: Name of the reader in specutils.
READER = "spexbench frame"

_ARRAYS = ("flux", "ivar", "mask", "chi2pix", "pixmask_fraction", "f")
_HDUS = {"FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION"}


def to_table(frame: "Frame") -> "Table":
    """Frame.to_table."""
    try:
        from astropy.table import Table
    except ImportError:
        raise ImportError("no astropy (expected: pip install 'spexbench[units]')") from None
    table = Table(meta=dict(frame.meta.items()))
    table["spectrum"] = frame.fibers
    fibermap = frame.fibermap
    if fibermap is not None:
        table["FIBER"] = fibermap["FIBER"]
    table["wave"] = np.broadcast_to(frame.wave, frame.flux.shape).copy()
    for name in _ARRAYS:
        if getattr(frame, name) is not None:
            table[name] = getattr(frame, name).copy()
    for name in ("wave", *_ARRAYS):
        if name in table.columns and frame.units[name]:
            table[name].unit = frame.units[name]
    return table


def to_spectrum(frame: "Frame") -> Any:
    """Frame.to_spectrum."""
    try:
        import specutils
        from astropy.nddata import InverseVariance
    except ImportError:
        raise ImportError("no specutils (expected: pip install specutils)") from None
    # Its name before specutils 2.
    spectrum = getattr(specutils, "Spectrum", None) or specutils.Spectrum1D
    return spectrum(
        flux=frame.quantity("flux").copy(),
        spectral_axis=frame.quantity("wave").copy(),
        uncertainty=InverseVariance(frame.quantity("ivar").copy()),
        mask=(frame.mask != 0) | (frame.ivar == 0),
        meta={
            "header": frame.meta,
            "fibermap": frame.fibermap,
            "spectra": frame.fibers,
            "bits": frame.mask.copy(),
            "resolution": frame.resolution.copy(),
        },
    )


def to_desispec(frame: "Frame") -> Any:
    """Frame.to_desispec."""
    try:
        from desispec.frame import Frame as DesispecFrame
    except ImportError as error:
        raise ImportError(f"no desispec: {error} (expected its py folder in PYTHONPATH)") from None
    fibermap = frame.fibermap
    first = frame.header.number("FIBERMIN")
    if fibermap is not None:
        fibers = np.asarray(fibermap["FIBER"])
    else:
        fibers = frame.fibers + (0 if first is None else int(first) - frame.specmin)
    return DesispecFrame(
        frame.wave.copy(),
        frame.flux.copy(),
        frame.ivar.copy(),
        mask=frame.mask.copy(),
        resolution_data=frame.resolution.copy(),
        fibers=fibers,
        meta=frame.meta,
        fibermap=fibermap,
        chi2pix=frame.chi2pix.copy(),
    )


def _is_frame(_origin: str, *args: Any, **_others: Any) -> bool:
    """Whether specutils is asked for a frame's file."""
    from astropy.io import fits

    path = args[0] if args and isinstance(args[0], PATHS) else None
    if path is None or not os.path.isfile(path):  # noqa: PTH113 also of bytes
        return False
    with fits.open(path, lazy_load_hdus=True) as file:
        return {hdu.name for hdu in file} >= _HDUS


def register_with_specutils() -> None:
    """Makes specutils read frames: Spectrum.read("frame.fits") or format="spexbench frame".

    The result is that of `read_frame(...).to_spectrum()`. A second call changes nothing.

    Raises:
        ImportError: there is no specutils.
    """
    try:
        from specutils.io.registers import data_loader
    except ImportError:
        raise ImportError("no specutils (expected: pip install specutils)") from None
    from ._frame import read_frame

    def load(file: Any, **_others: Any) -> Any:
        path = getattr(file, "name", file)  # astropy opens files itself
        if not isinstance(path, PATHS):
            raise UsageError(f"file: is a {type(file).__name__} (expected the path of a frame)")
        return read_frame(path_of("file", path)).to_spectrum()

    data_loader(
        READER, identifier=_is_frame, extensions=["fits", "fits.gz"], priority=20, force=True
    )(load)
