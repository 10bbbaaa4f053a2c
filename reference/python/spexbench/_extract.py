"""Extracts one frame."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from . import _core, _run
from ._arguments import PathLike, make_barycentric, make_options, path_or_none
from ._frame import Frame, frame_of
from ._inputs import ImageLike, PsfLike, as_preproc, as_psf, file_of
from ._wavelength import Wavelength, grid_of
from .errors import DataError, UsageError

if TYPE_CHECKING:
    from ._extractor import Extractor


def extract(
    preproc: ImageLike,
    psf: PsfLike,
    *,
    wavelength: Wavelength | None = None,
    specmin: int = 0,
    nspec: int | None = None,
    bundlesize: int = 25,
    nsubbundles: int | None = None,
    nwavestep: int = 50,
    wavepad: int = 10,
    pixpad_frac: float = 0.8,
    wavepad_frac: float = 0.2,
    regularize: float = 0.0,
    psferr: float | None = None,
    mask_bits: int | str | None = None,
    no_mask: bool = False,
    decorrelate: str = "signal",
    flux: str = "patch",
    chi2_pixels: str = "weighted",
    bad2dfit: str = "relative",
    barycentric_correction: bool = False,
    barycentric_by_obstype: bool = False,
    heliocor: float | None = None,
    iers: PathLike | None = None,
    method: str | None = None,
    milestone: str | None = None,
    model: bool | PathLike = False,
    gpu: bool = False,
    device: int = 0,
    threads: int | None = None,
    extractor: "Extractor | None" = None,
    progress: _run.Progress | None = None,
    checksums: bool = True,
    output: PathLike | None = None,
    scores: bool = True,
    full_precision: bool = False,
    fibermap_by_row: bool = False,
) -> Frame:
    """Extracts the spectra of one frame.

    What is computed, and what the parameters mean, is in docs/extraction.md; names and defaults
    are those of the programs (docs/command-line.md). Equal input gives equal output, whatever the
    number of threads. The interpreter's lock is not held meanwhile, and Ctrl-C is heeded.
    The logger "spexbench" has a line (info) before and after, and warns of a frame of which a
    quarter of the bins have no usable pixel.

    Args:
        preproc: a file preproc-CAMERA-EXPID.fits (.gz, .fz); what read_preproc made of one; a
            mapping with image, ivar, mask and perhaps camera; or an object with pix (or image),
            ivar, mask and camera, such as desispec's Image. Arrays are [ny, nx]: electron,
            electron^-2, bits. A mask of None says that all pixels are good. What is masked in a
            masked array is not used; Quantities are converted.
        psf: a file psf-CAMERA-EXPID.fits; what read_psf made of one; or what
            gpu_specter.io.read_psf made of one.
        wavelength: (wmin, wmax, dw), Angstrom in vacuum, or as text "wmin,wmax,dw"; or an array of
            the wavelengths themselves, in equal steps; Quantities are converted. None is the grid
            of the camera in production.
        specmin: first fiber, counted from 0 in the PSF.
        nspec: number of fibers; None is all from specmin on.
        bundlesize: fibers of a bundle.
        nsubbundles: parts of a bundle; None is 5, or 1 with the milestone scalar.
        nwavestep: core bins of a patch.
        wavepad: bins of padding on either side.
        pixpad_frac: part of the padding's rows that is used, 0 to 1.
        wavepad_frac: `wavepad` is widened by this fraction, 0 to 1.
        regularize: regularization of bins that the data determine.
        psferr: fractional error of the PSF; None is the PSF's own.
        mask_bits: pixels with any of these bits are not used: a number, its text ("0x2FF"), or
            "all"; None is all but BADREADNOISE.
        no_mask: accept an image that has no mask: all its pixels are good.
        decorrelate: "signal" or "noise".
        flux: "patch", each patch by itself, or "frame", the whole frame at once, without seams.
        chi2_pixels: pixels that chi2pix counts: "weighted", or "bright" as production's GPU path.
        bad2dfit: rule of BAD2DFIT in the mask: "relative" to the medians of chi2pix, or "chi2",
            above 100, as production before desispec 0.71.
        barycentric_correction: make the wavelengths barycentric, by the header's position and
            time; those of the frame are still the ones asked for.
        barycentric_by_obstype: the same for images of the sky, whose OBSTYPE or FLAVOR says so.
        heliocor: the factor itself, barycentric / observed wavelength.
        iers: finals2000A.all of the IERS, for a factor accurate to 1e-12 instead of 1e-10.
        method: "eigh" or "cholesky"; None is that of the milestone, eigh on the CPU.
        milestone: how the work is organized (docs/milestones.md); None is the fastest.
        model: also make the model image; a path writes it to that file too, beside `output`.
        gpu: on a GPU.
        device: which, counted from 0.
        threads: of the CPU; None is all that the process may use.
        extractor: an Extractor, in the place of gpu, device and threads.
        progress: called as progress(patches done, patches), often, in the thread that extracts.
        checksums: compare DATASUM and CHECKSUM of the files, where they have them.
        output: also write the frame to this file, .fits or .fits.gz, as spex-cpu does. The header
            and the fibermap are those of the file that the image was read from, which it cannot
            replace.
        scores: with the HDU SCORES.
        full_precision: in float64.
        fibermap_by_row: take the rows of the file's fibermap by their places, as production does,
            not by FIBER.

    Returns:
        The frame: arrays [nspec, nwave] that are the caller's own.

    Raises:
        UsageError: the arguments are impossible, or do not fit the PSF; an output would replace
            an input, or the other output.
        DataError: a file is missing or malformed, a checksum is wrong, or image and PSF do not fit
            together.
        DeviceError: gpu=True, and there is none.

    >>> frame = extract(night.preproc, night.psf, nspec=5, wavelength=(5760, 5800, 0.8))
    >>> frame
    <Frame r0: 5 spectra, 5760 to 5800 Angstrom>
    >>> frame.flux.shape, frame.resolution.shape, frame.units["flux"]
    ((5, 51), (5, 11, 51), 'electron / Angstrom')
    >>> frame.counts.patches, frame.counts.failed, frame.counts.dark
    (2, 0, 0)
    >>> extract(night.preproc, night.psf, nsubbundles=7)
    Traceback (most recent call last):
        ...
    spexbench.errors.UsageError: nsubbundles: 7 does not divide the bundle size 25 (expected ...)
    """
    if extractor is not None:
        if gpu or device or threads is not None:
            raise UsageError("extractor: has a GPU or threads (expected no gpu, device, threads)")
        gpu = extractor.gpu
    output = path_or_none("output", output)
    iers = path_or_none("iers", iers)
    model_file = None if isinstance(model, bool | np.bool_) else path_or_none("model", model)
    if model_file and output is None:
        raise UsageError("model: a file without an output (expected output=, or model=True)")
    image_file, psf_file = file_of(preproc, "image"), file_of(psf, "psf")
    _core.refuse_overwriting(
        [name for name in (output, model_file) if name],
        [name for name in (image_file, psf_file, iers) if name],
    )
    options = make_options(
        wavelength=None if wavelength is None else grid_of(wavelength),
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
        mask_bits=mask_bits,
        model=bool(model),
        method=method,
        decorrelate=decorrelate,
        flux=flux,
        chi2_pixels=chi2_pixels,
        bad2dfit=bad2dfit,
        milestone=milestone,
        gpu=gpu,
    )
    barycentric = make_barycentric(barycentric_correction, barycentric_by_obstype, heliocor, iers)
    worker = _run.Worker(gpu, device, threads) if extractor is None else extractor.worker
    try:
        image, own = as_preproc(preproc, bool(no_mask), bool(checksums))
    except DataError:
        if image_file and psf_file and Path(psf_file).exists():
            _core.refuse_swapped(psf_file, image_file)
        raise
    camera = image.camera
    begin = time.monotonic()
    extraction = _core.Extraction(
        options=options,
        barycentric=barycentric,
        psf=as_psf(psf, bool(checksums)),
        preproc=image,
        take=own,
        image_name=image_file or "image",
        psf_name=psf_file or "psf",
        output=output,
        model=model_file,
        scores=bool(scores),
        full_precision=bool(full_precision),
        fibermap_by_row=bool(fibermap_by_row),
    )
    _run.log.info("%s: extracting, %d patches", image_file or "image", extraction.npatches)
    results = extraction.put_together([worker.extract(extraction, progress=progress)])
    if output is not None:
        extraction.write(results)
    arrays = extraction.arrays(results, bool(model))
    _run.log.info("%s: %.2f s", image_file or "image", time.monotonic() - begin)
    _run.warn_of(arrays)
    return frame_of(
        arrays,
        specmin=specmin,
        camera=camera,
        flux_of=options.flux,
        nwavestep=options.nwavestep,
    )
