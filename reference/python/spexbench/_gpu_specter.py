"""extract_frame with gpu_specter's interface, as a drop-in replacement."""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _run
from ._arguments import make_options
from ._inputs import ImageLike, PsfLike, as_preproc, as_psf, name_of
from ._wavelength import Grid, Wavelength, grid_of, plain_wavelength
from .errors import UsageError

#: gpu_specter's names of the results, and this package's names.
_NAMES = {
    "specflux": "flux",
    "specivar": "ivar",
    "Rdiags": "resolution",
    "pixmask_fraction": "pixmask_fraction",
    "chi2pix": "chi2pix",
}


def _image(img: ImageLike, no_mask: bool) -> tuple[_core.Preproc, bool]:
    """The image as in gpu_specter: the ivar of a mapping already includes its mask."""
    if isinstance(img, Mapping):
        img = {**img, "mask": None}
    return as_preproc(img, no_mask, header=False)


def _grid(wavelength: Wavelength | None, psf: _core.Psf) -> tuple[Grid, npt.NDArray[np.float64]]:
    """(wmin, wmax, dw) and the wavelengths, Angstrom, by gpu_specter's rules."""
    wavelength = plain_wavelength(wavelength)
    grid = grid_of((psf.wavemin, psf.wavemax, 0.8) if wavelength is None else wavelength)
    if isinstance(wavelength, np.ndarray):
        return grid, wavelength.astype(np.float64)
    wmin, wmax, dw = grid
    if not dw > 0:
        raise UsageError(f"wavelength: a step of {dw:g} Angstrom (expected dw > 0)")
    return grid, np.arange(wmin, wmax + 0.5 * dw, dw)


def extract_frame(
    img: ImageLike,
    psf: PsfLike,
    bundlesize: int,
    specmin: int,
    nspec: int,
    wavelength: Wavelength | None = None,
    nwavestep: int = 50,
    nsubbundles: int = 1,
    model: object = None,
    regularize: float = 0,
    psferr: float | None = None,
    comm: Any = None,
    gpu: bool | None = None,
    loglevel: str | int | None = None,
    timing: dict[str, float] | None = None,
    wavepad: int = 10,
    pixpad_frac: float = 0.8,
    wavepad_frac: float = 0.2,
    batch_subbundle: bool = True,  # noqa: ARG001 gpu_specter has it
    ranks_per_bundle: int | None = None,  # noqa: ARG001 likewise
    *,
    method: str | None = None,
    threads: int | None = None,
    no_mask: bool = False,
) -> dict[str, Any] | None:
    """Extracts one frame, with the arguments and the result of gpu_specter.core.extract_frame.

    Args:
        img: as for `extract`. A mapping is taken as gpu_specter takes it: its ivar holds the mask
            already. Arrays of CuPy are copied to the host. On rank 0 alone where there is a `comm`.
        psf: as for `extract`; on rank 0 alone where there is a `comm`.
        bundlesize: fibers of a bundle, which are counted from fiber 0 of the PSF.
        specmin: first fiber.
        nspec: number of fibers.
        wavelength: "wmin,wmax,dw", (wmin, wmax, dw) or an array of equal steps, Angstrom; None is
            the range of the PSF in steps of 0.8.
        nwavestep: core bins of a patch.
        nsubbundles: parts of a bundle.
        model: whether to make the model image; any value that is true.
        regularize: regularization.
        psferr: fractional error of the PSF; None is the PSF's own.
        comm: communicator of mpi4py; its ranks share the patches.
        gpu: on GPUs, ranks taking them in turn.
        loglevel: of the logger "spexbench"; None leaves it.
        timing: a dictionary that the times (s since 1970) at which steps ended are put into, by
            gpu_specter's names.
        wavepad: bins of padding on either side.
        pixpad_frac: part of the padding's rows that is used.
        wavepad_frac: `wavepad` is widened by this fraction.
        batch_subbundle: accepted; how patches are batched changes no result here.
        ranks_per_bundle: accepted, likewise.
        method: "eigh" or "cholesky"; None is cholesky. Not of gpu_specter.
        threads: of each rank; None is all CPUs that it may use, shared among the ranks of `comm`.
            Not of gpu_specter.
        no_mask: accept a file or an object without a mask. Not of gpu_specter.

    Returns:
        On rank 0 a dictionary, None on the others: specflux (electron / Angstrom) and specivar,
        float64 [nspec, nwave]; specmask, int64 [nspec, nwave], 1 where specivar is 0; wave, float64
        [nwave], Angstrom; Rdiags, float64 [nspec, 2 ndiag + 1, nwave]; pixmask_fraction and
        chi2pix, float64 [nspec, nwave]; modelimage, float64 [ny, nx] or None. The model image is
        A f in electron (docs/extraction.md, section 6), where gpu_specter's is of R f.

    Raises:
        UsageError: the arguments are impossible.
        DataError: a file is missing or malformed, or image and PSF do not fit together.
        DeviceError: gpu=True, and there is none.
        With a `comm`, every rank raises what one of them did.

    >>> frame = extract_frame(
    ...     night.preproc, night.psf, 25, 0, 5, wavelength="5760,5800,0.8", nsubbundles=5
    ... )
    >>> sorted(frame)[:4]
    ['Rdiags', 'chi2pix', 'modelimage', 'pixmask_fraction']
    >>> sorted(frame)[4:]
    ['specflux', 'specivar', 'specmask', 'wave']
    >>> frame["specflux"].shape, frame["Rdiags"].shape
    ((5, 51), (5, 11, 51))
    """
    if loglevel is not None:
        _run.log.setLevel(loglevel.upper() if isinstance(loglevel, str) else loglevel)
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    gpu = bool(gpu)
    times: dict[str, float] = {"init-mpi-comm": time.time()}

    def inputs() -> tuple[_core.Psf, _core.Preproc, bool]:
        return as_psf(psf), *_image(img, bool(no_mask))

    def prepare() -> tuple[_core.Extraction, npt.NDArray[np.float64]]:
        grid, wave = _grid(wavelength, of_psf)
        options = make_options(
            wavelength=grid,
            specmin=specmin,
            nspec=nspec,
            regularize=regularize,
            bundlesize=bundlesize,
            nsubbundles=nsubbundles,
            nwavestep=nwavestep,
            wavepad=wavepad,
            pixpad_frac=pixpad_frac,
            wavepad_frac=wavepad_frac,
            psferr=psferr,
            model=bool(model),
            method=method,
            gpu=gpu,
        )
        extraction = _core.Extraction(
            options=options,
            barycentric=_core.make_barycentric(),
            psf=of_psf,
            preproc=image,
            take=own,
            image_name=name_of(img, "img"),
            psf_name=name_of(psf, "psf"),
        )
        return extraction, wave

    of_psf, image, own = _run.on_root(comm, inputs)
    times["init-mpi-bcast"] = times["host-to-device"] = time.time()
    prepared: list[Any] = []

    def work() -> _core.Share:
        device = rank % max(1, _core.gpu_count())
        share_of_cpus = threads or max(1, _core.default_threads() // size)
        worker = _run.Worker(gpu, device, share_of_cpus)
        prepared.extend(prepare())
        if rank == 0:
            _run.log.info("extracting %d spectra on %d rank(s), gpu: %s", nspec, size, gpu)
        return worker.extract(prepared[0], rank, size)

    shares = _run.everywhere(comm, work)
    times["extracted-bundles"] = time.time()
    frame = None
    if shares is not None:
        extraction, wave = prepared
        times["staged-bundles"] = time.time()
        arrays = extraction.arrays(extraction.put_together(shares), bool(model))
        times["merged-bundles"] = time.time()
        frame = {name: arrays[ours] for name, ours in _NAMES.items()}
        frame["specmask"] = (frame["specivar"] == 0).astype(int)
        frame["wave"] = wave
        frame["modelimage"] = arrays["model"]
        _run.warn_of(arrays)
    now = time.time()
    for name in ("staged-bundles", "merged-bundles", "assembled-frame"):
        times.setdefault(name, now)
    if isinstance(timing, dict):
        timing.update(times)
    return frame
