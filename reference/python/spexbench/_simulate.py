"""The simulator."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from . import _core
from ._arguments import PathLike, cameras_of, choice, path_of, path_or_none, real, seed_of, whole
from .errors import UsageError


class SimulatedFrame(NamedTuple):
    """The files of one simulated camera."""

    camera: str  #: such as "r0"
    expid: int  #: exposure number
    preproc: Path  #: the image
    psf: Path  #: its PSF
    truth: Path  #: the simulated spectra


def simulate(
    folder: PathLike,
    *,
    cameras: str | Iterable[str] = "r0",
    size: str = "full",
    seed: int = 1,
    flavor: str = "science",
    expid: int = 1,
    exposures: int = 1,
    psf_shift: float = 0.0,
    night: int = 20240101,
    exptime: float = 900.0,
    on_grid: bool = False,
    ivar: str = "expected",
    cosmics: float = 1.0,
    unmasked_cosmics: float = 0.0,
    compress: str = "none",
    compress_level: int = 9,
    psf: PathLike | None = None,
    spectra: PathLike | None = None,
    overwrite: bool = False,
    threads: int | None = None,
) -> list[SimulatedFrame]:
    """Simulates exposures and writes their files like spex-sim.

    Args:
        folder: that the files are written to; made where its parent exists.
        cameras: "b0,r0,z0", the names one by one as ["b0", "r0", "z0"], or "all".
        size: "tiny" (25 fibers, 300 rows: the first 150 Angstrom of the camera's grid, so extract
            with a `wavelength`), "bundle" (25 fibers) or "full" (500 fibers).
        seed: another sky, other targets, other noise.
        flavor: "science", "flat", "arc" or "sky".
        expid: number of the first exposure.
        exposures: how many.
        psf_shift: maximum shift of the spots of an exposure, pixels.
        night: YYYYMMDD.
        exptime: s.
        on_grid: the truth on the wavelengths of the extraction, as `compare` needs it.
        ivar: variance from the "expected" electrons of a pixel, or from the "observed".
        cosmics: number of cosmic rays, times those of 900 s.
        unmasked_cosmics: fraction of them that MASK misses; the truth lists their pixels.
        compress: the images: "none", "gz" or "fz".
        compress_level: of "gz", 1 to 9.
        psf: a file in place of the simulator's own PSF; with one camera.
        spectra: a file in the form of a truth, a row a fiber, in place of simulated spectra; with
            one camera.
        overwrite: replace existing files; otherwise they are an error.
        threads: None is all CPUs that the process may use; the files do not depend on it.

    Returns:
        The files of each frame, by exposure, then in the order of `cameras`.

    Raises:
        UsageError: the arguments are impossible, or a file exists.
        DataError: a file cannot be read or written.

    >>> [frame] = simulate(folder / "night", size="tiny", seed=7)
    >>> frame.camera, frame.expid, frame.preproc.name
    ('r0', 1, 'preproc-r0-00000001.fits')
    """
    name = path_of("folder", folder)
    if not name:
        raise UsageError("folder: '' (expected the name of a folder)")
    files = _core.simulate(
        name,
        cameras=cameras_of(cameras),
        size=choice("size", size),
        seed=seed_of(seed),
        flavor=choice("flavor", flavor),
        expid=whole("expid", expid),
        exposures=whole("exposures", exposures),
        psf_shift=real("psf_shift", psf_shift),
        night=whole("night", night),
        exptime=real("exptime", exptime),
        on_grid=bool(on_grid),
        ivar=choice("ivar", ivar),
        cosmics=real("cosmics", cosmics),
        unmasked_cosmics=real("unmasked_cosmics", unmasked_cosmics),
        compress=choice("compress", compress),
        compress_level=whole("compress_level", compress_level),
        psf=path_or_none("psf", psf),
        spectra=path_or_none("spectra", spectra),
        overwrite=bool(overwrite),
        threads=_core.default_threads() if threads is None else whole("threads", threads),
    )
    return [SimulatedFrame(camera, number, *map(Path, paths)) for camera, number, *paths in files]
