"""Extracts one frame."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from . import _core, _run
from ._arguments import PathLike, make_barycentric, make_options, path_or_none
from ._frame import Frame, frame_of
from ._inputs import ImageLike, PsfLike, as_preproc, as_psf, file_of
from ._options import DEFAULTS, ExtractOptions
from ._signature import with_options
from ._wavelength import grid_of
from .errors import DataError, UsageError

if TYPE_CHECKING:
    from ._extractor import Extractor


@with_options
def extract(
    preproc: ImageLike,
    psf: PsfLike,
    *,
    no_mask: bool = False,
    barycentric_correction: bool = False,
    barycentric_by_obstype: bool = False,
    heliocor: float | None = None,
    iers: PathLike | None = None,
    model: bool | PathLike = False,
    write_f: bool = False,
    rejected: PathLike | None = None,
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
    **options: Unpack[ExtractOptions],
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
        no_mask: accept an image that has no mask: all its pixels are good.
        barycentric_correction: make the wavelengths barycentric, by the header's position and
            time; those of the frame are still the ones asked for.
        barycentric_by_obstype: the same for images of the sky, whose OBSTYPE or FLAVOR says so.
        heliocor: the factor itself, barycentric / observed wavelength.
        iers: finals2000A.all of the IERS, for a factor accurate to 1e-12 instead of 1e-10.
        model: also make the model image; a path writes it to that file too, beside `output`.
        write_f: also return f, the fluxes before reconvolution, and write them as the HDU F.
        rejected: a file for the mask of the pixels that reject_pixels rejected, beside `output`.
        gpu: on a GPU.
        device: which, counted from 0.
        threads: of the CPU; None is all that the process may use.
        extractor: an Extractor, in the place of gpu, device and threads.
        progress: called as progress(patches done, patches), often, in the thread that extracts.
            The last call has all patches done.
        checksums: compare DATASUM and CHECKSUM of the files, where they have them.
        output: also write the frame to this file, .fits or .fits.gz, as spex-cpu does. The header
            and the fibermap are those of the file that the image was read from, which it cannot
            replace.
        scores: with the HDU SCORES.
        full_precision: in float64.
        fibermap_by_row: take the rows of the file's fibermap by their places, as production does,
            not by FIBER.
        **options: as on the command line; None is the default. `wavelength` may also be
            (wmin, wmax, dw), or an array of the wavelengths themselves in equal steps; Angstrom in
            vacuum, or a Quantity.

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
    rejected = path_or_none("rejected", rejected)
    if rejected and (output is None or options.get("reject_pixels") is None):
        raise UsageError("rejected: no file to write (expected output= and reject_pixels=)")
    image_file, psf_file = file_of(preproc, "image"), file_of(psf, "psf")
    _core.refuse_overwriting(
        [name for name in (output, model_file, rejected) if name],
        [name for name in (image_file, psf_file, iers) if name],
    )
    if unknown := options.keys() - DEFAULTS.keys():
        raise TypeError(f"extract() got an unexpected keyword argument '{min(unknown)}'")
    wavelength = options.get("wavelength")
    grid = None if wavelength is None else grid_of(wavelength)
    asked = make_options(
        model=bool(model), write_f=write_f, gpu=bool(gpu), **{**options, "wavelength": grid}
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
        options=asked,
        barycentric=barycentric,
        psf=as_psf(psf, bool(checksums)),
        preproc=image,
        take=own,
        image_name=image_file or "image",
        psf_name=psf_file or "psf",
        output=output,
        model=model_file,
        rejected=rejected,
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
        specmin=asked.specmin,
        camera=camera,
        flux_of=asked.flux,
        nwavestep=asked.nwavestep,
    )
