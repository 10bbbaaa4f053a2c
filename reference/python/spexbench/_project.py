"""Spectra onto the CCD."""

import logging
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import PATHS, path_of, real, seed_of, whole
from ._inputs import PsfLike, as_psf
from ._plain import refuse_masked
from .errors import UsageError

log = logging.getLogger("spexbench")

Doubles = npt.NDArray[np.float64]


def _array(name: str, given: Any, unit: str) -> Doubles:
    """Finite numbers with one or two axes."""
    try:
        values = np.asarray(refuse_masked(name, given, unit), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise (
            error
            if isinstance(error, UsageError)
            else UsageError(
                f"{name}: is not an array of numbers (expected [nwave] or [nspec, nwave])"
            )
        ) from None
    if values.ndim not in (1, 2) or values.size == 0:
        raise UsageError(
            f"{name}: has the shape {' x '.join(map(str, values.shape)) or 'of a number'} "
            "(expected [nwave] or [nspec, nwave])"
        )
    if not np.isfinite(values).all():
        raise UsageError(f"{name}: has a value that is not finite (expected finite numbers)")
    return np.atleast_2d(values)


def _electrons(flux: Any, wave: Doubles, per_bin: bool) -> Doubles:
    """Electrons of each bin: those given, or flux times the widths of bins."""
    refuse_masked("flux", flux, "")
    unit = getattr(flux, "unit", None)
    if unit is not None and not per_bin:
        try:  # the unit says what it is
            flux = refuse_masked("flux", flux, "electron")
            per_bin = True
        except UsageError:
            pass
    values = _array("flux", flux, "electron" if per_bin else "electron / Angstrom")
    if values.shape[1] != wave.shape[1]:
        raise UsageError(
            f"flux: has {values.shape[1]} wavelengths (expected {wave.shape[1]}, those of wave)"
        )
    if len(wave) not in (1, len(values)):
        raise UsageError(f"wave: has {len(wave)} rows (expected one, or {len(values)})")
    if per_bin:
        return values
    if wave.shape[1] < 2:
        raise UsageError("wave: is a single wavelength (expected two or more, or per_bin=True)")
    return np.asarray(values * np.abs(np.gradient(wave, axis=1)))


def _spectra_of(source: Any) -> tuple[Any, Any]:
    """Wavelengths and flux of a file, or of a table with these columns."""
    if isinstance(source, PATHS):
        wave, flux = _core.read_given_spectra(path_of("wave", source))
        return wave, flux
    try:
        return source["WAVELENGTH"], source["FLUX"]
    except (KeyError, IndexError, TypeError, ValueError):
        raise UsageError(
            "flux: is missing (expected wavelengths and flux, a table with the columns WAVELENGTH "
            "and FLUX, or a file of spectra)"
        ) from None


def _check_sampling(psf: _core.Psf, first: int, wave: Doubles) -> None:
    """Warns of bins farther apart than rows, between which the image has gaps."""
    shapes = _core.psf_shapes(psf, np.array([first]), np.sort(wave[:1]), 1)
    with np.errstate(invalid="ignore"):
        steps = np.abs(np.diff(shapes[1][0]))
    if np.isfinite(steps).any() and np.nanmax(steps) > 1.5:
        log.warning(
            "wave: neighbors are up to %.1f rows apart: the image is of separate spots",
            np.nanmax(steps),
        )


@overload
def project(
    psf: PsfLike, wave: Any, flux: Any = None, *, noise: None = None, specmin: int = 0,
    per_bin: bool = False, seed: int = 1, threads: int | None = None,
) -> Doubles: ...  # fmt: skip
@overload
def project(
    psf: PsfLike, wave: Any, flux: Any = None, *, noise: float, specmin: int = 0,
    per_bin: bool = False, seed: int = 1, threads: int | None = None,
) -> _core.Preproc: ...  # fmt: skip
def project(
    psf: PsfLike,
    wave: Any,
    flux: Any = None,
    *,
    noise: float | None = None,
    specmin: int = 0,
    per_bin: bool = False,
    seed: int = 1,
    threads: int | None = None,
) -> Doubles | _core.Preproc:
    """The image of spectra on the CCD, with or without noise.

    Each bin is one spot of the PSF. Light at wavelengths beyond the CCD or the PSF is lost. The
    result does not depend on the number of threads.

    Args:
        psf: a file, or what read_psf returns.
        wave: Angstrom in vacuum, [nwave], or [nspec, nwave]: each fiber its own. Steps may be
            unequal, and should be shorter than a row of the CCD. Without `flux`: a table, or a
            mapping, with WAVELENGTH and FLUX; or a file as of spex-sim --spectra.
        flux: electron / Angstrom, [nspec, nwave], or [nwave] for one fiber. A Quantity may also be
            of electrons, those of each bin.
        noise: read noise, electron: a Preproc with Poisson and read noise, whose ivar is that of
            the expected electrons; None: the expected electrons themselves.
        specmin: the fiber of the first spectrum, counted from 0 in the PSF.
        per_bin: `flux` is in electrons of each bin, as specter's psf.project takes photons.
        seed: of the noise.
        threads: None is all CPUs that the process may use.

    Returns:
        float64 [ny, nx], electron; with `noise` a Preproc, to be extracted or shown.

    Raises:
        UsageError: shapes differ, fibers that the PSF has not, or a unit of something else; with
            noise, an expected number of electrons that is negative.

    >>> psf = read_psf(night.psf)
    >>> wave = np.arange(5760, 5850, 0.4)
    >>> flux = np.full((25, len(wave)), 100.0)
    >>> image = project(psf, wave, flux)
    >>> image.shape, bool(image.max() > 1)
    ((300, 200), True)
    >>> frame = extract(project(psf, wave, flux, noise=3.0), psf, wavelength=(5770, 5830, 0.8))
    >>> bool(abs(np.median(frame.flux) / 100 - 1) < 0.02)
    True
    """
    of_psf = as_psf(psf)
    if flux is None:
        wave, flux = _spectra_of(wave)
    waves = _array("wave", wave, "Angstrom")
    electrons = _electrons(flux, waves, bool(per_bin))
    first = whole("specmin", specmin)
    count = _core.default_threads() if threads is None else whole("threads", threads)
    if not 1 <= count <= 4096:
        raise UsageError(f"threads: {count} (expected 1 to 4096)")
    light = np.ascontiguousarray(waves), np.ascontiguousarray(electrons)
    image = np.asarray(_core.project(of_psf, first, *light, count), dtype=np.float64)
    _check_sampling(of_psf, first, waves)
    if noise is None:
        return image
    read_noise = real("noise", noise)
    if not read_noise > 0:
        raise UsageError(f"noise: {read_noise:g} (expected read noise above 0, electron)")
    if image.min() < 0:
        raise UsageError("flux: is negative somewhere on the CCD (expected none, with noise)")
    random = np.random.default_rng(seed_of(seed))
    observed = random.poisson(image) + random.normal(0, read_noise, image.shape)
    return _core.make_preproc(
        observed,
        1 / (image + read_noise**2),
        np.zeros(image.shape, np.uint32),
        of_psf.camera,
        [],
        b"",
    )
