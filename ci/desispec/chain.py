"""desispec's steps on our frames: reading, fiber flat, sky, calibration, coadds."""

from pathlib import Path
from types import SimpleNamespace

import desispec.fiberfluxcorr
import numpy as np
from astropy.io import fits
from desispec.coaddition import coadd, coadd_cameras
from desispec.fluxcalibration import compute_flux_calibration, isStdStar
from desispec.frame import Frame
from desispec.io import read_fiberflat, read_frame, write_frame
from desispec.io.fluxcalibration import write_flux_calibration
from desispec.io.spectra import read_frame_as_spectra, read_spectra, write_spectra
from desispec.resolution import Resolution
from desispec.scripts import fiberflat, procexp, sky
from desispec.specscore import compute_frame_scores
from desispec.spectra import stack
from night import FLAT, OTHER_SCIENCE, SCIENCE, SKY, Job, Night
from table import Findings


def one_for_all(fibermap: object, *_: object) -> np.ndarray:
    """The fibers' acceptances are desimodel's data, which are not on PyPI; the night has none."""
    return np.ones(len(fibermap))


desispec.fiberfluxcorr.flat_to_psf_flux_correction = one_for_all
desispec.fiberfluxcorr.psf_to_fiber_flux_correction = one_for_all


def seen(frame: Frame, flux: np.ndarray) -> np.ndarray:
    """R times a spectrum of every fiber."""
    return np.array(
        [Resolution(r) @ f for r, f in zip(frame.resolution_data, np.atleast_2d(flux), strict=True)]
    )


def pulls(frame: Frame, expected: np.ndarray, fibers: np.ndarray | slice = slice(None)):
    """(flux - expected) sqrt(ivar) of good bins that are not at the ends of the grid."""
    ndiag = frame.resolution_data.shape[1] // 2
    inner = np.zeros(frame.flux.shape, dtype=bool)
    inner[fibers, 2 * ndiag : -2 * ndiag] = True
    good = inner & (frame.ivar > 0) & (frame.mask == 0)
    return ((frame.flux - expected) * np.sqrt(frame.ivar))[good]


def normal(findings: Findings, what: str, camera: str, pull: np.ndarray, low=0.88, high=1.05):
    """Pulls whose mean is 0 and whose width is near 1: desispec adds variance of its own."""
    findings.within(f"{what}: pull, mean", camera, pull.mean(), -0.05, 0.05)
    findings.within(f"{what}: pull, std", camera, pull.std(), low, high)


def read_and_write(findings: Findings, camera: str, path: Path, image: Path, out: Path) -> None:
    """Whether desispec reads a frame and writes the same frame; its keywords and scores."""
    frame = read_frame(str(path))
    again = out / f"again-{path.name}"
    write_frame(str(again), frame)
    own = ["CHECKSUM", "DATASUM", "COMMENT", "HISTORY"]
    with fits.open(path) as ours, fits.open(again) as theirs:
        del ours["IVAR"].header["BUNIT"]  # which desispec does not write
        diff = fits.FITSDiff(ours, theirs, ignore_keywords=own, ignore_comments=["*"])
        wrong = [] if diff.identical else [diff.report()]
    findings.none("read_frame, write_frame: differences", camera, wrong)
    findings.at_most("Frame.vet()", camera, float(frame.vet()), 0)
    form = {*own, "BUNIT", "XTENSION", "BITPIX", "EXTEND", "EXTNAME", "PCOUNT", "GCOUNT", ""}
    asked, kept = fits.getheader(image, "IMAGE"), fits.getheader(path)
    wrong = [key for key, value in asked.items() if key not in form and kept.get(key) != value]
    wrong = [key for key in wrong if not key.startswith("NAXIS")]
    findings.none("keywords of the image lost or changed", camera, wrong)
    # Production counts electrons a bin, whatever BUNIT says.
    scores, _ = compute_frame_scores(frame, suffix="RAW", flux_per_angstrom=False)
    worst = max(np.max(np.abs(frame.scores[n] / scores[n] - 1)) for n in scores)
    findings.at_most("scores by desispec, relative", camera, worst, 1e-6)


def make_flat(frame: Path, out: Path) -> Path:
    """The fiber flat of a frame, by desispec."""
    flat = out / frame.name.replace("frame", "fiberflat")
    fiberflat.main(["-i", str(frame), "-o", str(flat)])
    return flat


def process(frame: Path, made: Path, *options: object) -> Path:
    """The file `made`, which desi_process_exposure makes of a frame."""
    words = ["-i", frame, *options, "--no-tsnr", "--no-xtalk", "-o", made]
    procexp.main(procexp.parse([str(word) for word in words]))
    return made


def subtract_sky(frame: Path, flat: Path, out: Path) -> tuple[Path, Path]:
    """The sky of a frame, and the frame without the sky, by desispec."""
    sky_file, sframe = (out / frame.name.replace("frame", kind) for kind in ("sky", "sframe"))
    sky.main(["-i", str(frame), "--fiberflat", str(flat), "-o", str(sky_file)])
    return sky_file, process(frame, sframe, "--fiberflat", flat, "--sky", sky_file)


def check_flat(findings: Findings, night: Night, camera: str, file: Path) -> np.ndarray:
    """A fiber flat against the throughputs; returns the factor common to all fibers."""
    flat = read_fiberflat(str(file))
    good = (flat.ivar > 0) & (flat.mask == 0)
    # A factor common to all fibers is no part of a flat: desispec's is 1 in its own mean.
    wave = night.wave[camera]
    ratio = np.mean(flat.fiberflat / night.throughput[camera], axis=0)
    pull = ((flat.fiberflat - night.throughput[camera] * ratio) * np.sqrt(flat.ivar))[good]
    normal(findings, "fiberflat", camera, pull)
    findings.at_most("fiberflat: masked, fraction", camera, 1 - good.mean(), 0.01)
    return np.polynomial.Polynomial.fit(wave, ratio, 3)(wave)


def calibrate(
    findings: Findings, night: Night, job: Job, files: list[Path], common: np.ndarray
) -> Path:
    """Calibrates the frame of `files`, frame, flat, sky and sframe; returns the cframe."""
    (camera, expid), (frame, flat, sky_file, sframe_file) = job, files
    sframe = read_frame(str(sframe_file))
    targets = np.setdiff1d(np.arange(len(sframe.flux)), night.skies)
    truth = seen(sframe, night.flux[camera] * night.calibration[camera] / common)
    normal(findings, f"sframe, targets, {expid}", camera, pulls(sframe, truth, targets))
    stars = np.flatnonzero(isStdStar(sframe.fibermap))
    assert list(stars) == list(night.stars), stars
    models = night.flux[camera][stars]
    calibration = compute_flux_calibration(sframe, night.wave[camera], models, stars)
    calib, cframe_file = (
        sframe_file.with_name(sframe_file.name.replace("sframe", kind))
        for kind in ("fluxcalib", "cframe")
    )
    write_flux_calibration(str(calib), calibration)
    process(frame, cframe_file, "--fiberflat", flat, "--sky", sky_file, "--calib", calib)
    ratio = np.median(calibration.calib / night.calibration[camera] * common)
    findings.within(f"calibration / truth, {expid}", camera, ratio, 0.99, 1.01)
    cframe = read_frame(str(cframe_file))
    truth = seen(cframe, night.flux[camera])
    normal(findings, f"cframe, targets, {expid}", camera, pulls(cframe, truth, targets))
    return cframe_file


def run(findings: Findings, night: Night, frames: dict[Job, Path], out: Path) -> None:
    """All steps; their files lie in `out`."""
    out.mkdir(exist_ok=True)
    calibrated = []
    for camera in night.cameras:
        for expid in (FLAT, SCIENCE):
            image = night.file("preproc", camera, expid)
            read_and_write(findings, camera, frames[camera, expid], image, out)
        flat = make_flat(frames[camera, FLAT], out)
        common = check_flat(findings, night, camera, flat)
        for expid in (SKY, SCIENCE, OTHER_SCIENCE):
            frame = frames[camera, expid]
            sky_file, sframe_file = subtract_sky(frame, flat, out)
            sframe = read_frame(str(sframe_file))
            skies = np.arange(len(sframe.flux)) if expid == SKY else night.skies
            # The model is a mean of these fibers.
            expected = np.sqrt((1 - 1 / len(skies)) / (1 + 1 / len(skies)))
            residual = pulls(sframe, np.zeros_like(sframe.flux), skies)
            what = f"sky residuals, {expid}"
            normal(findings, what, camera, residual, expected - 0.05, expected + 0.05)
            if expid != SKY:
                files = [frame, flat, sky_file, sframe_file]
                calibrated.append(calibrate(findings, night, (camera, expid), files, common))
    coadds(findings, night, calibrated, out)


def coadds(findings: Findings, night: Night, files: list[Path], out: Path) -> None:
    """Spectra of all exposures and cameras, written, read, and added up."""
    by_exposure = {}
    for file in files:
        spectra = read_frame_as_spectra(str(file))
        first = by_exposure.setdefault(spectra.meta["EXPID"], spectra)
        if first is not spectra:
            first.update(spectra)
    spectra = stack(list(by_exposure.values()))
    write_spectra(str(out / "spectra.fits"), spectra)
    again = read_spectra(str(out / "spectra.fits"))
    wrong = []
    for name in ("wave", "flux", "ivar", "mask", "resolution_data"):
        values, read = getattr(spectra, name), getattr(again, name)
        same = [np.allclose(values[b], read[b], rtol=1e-6, atol=1e-7) for b in spectra.bands]
        wrong += [] if all(same) else [name]
    findings.none("write_spectra, read_spectra: what differs", "all", wrong)
    coadd(again, onetile=True)
    both = dict.fromkeys(again.bands, again)
    added = coadd_cameras(again)
    both[added.bands[0]] = added
    for band, coadded in both.items():
        names = ("flux", "ivar", "mask", "resolution_data")
        frame = SimpleNamespace(**{name: getattr(coadded, name)[band] for name in names})
        flux = night.flux_at(coadded.wave[band])
        targets = np.setdiff1d(np.arange(len(flux)), night.skies)
        normal(findings, "coadd, targets", band, pulls(frame, seen(frame, flux), targets))
