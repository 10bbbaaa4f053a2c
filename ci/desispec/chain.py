"""desispec's steps on our frames: reading, fiber flat, sky, calibration, coadds."""

from pathlib import Path

import desispec.fiberfluxcorr
import numpy as np
from astropy.io import fits
from desispec.coaddition import coadd, coadd_cameras
from desispec.fluxcalibration import compute_flux_calibration, isStdStar
from desispec.frame import Frame
from desispec.io import read_fiberflat, read_frame, read_sky, write_frame
from desispec.io.fluxcalibration import write_flux_calibration
from desispec.io.spectra import read_frame_as_spectra, read_spectra, write_spectra
from desispec.resolution import Resolution
from desispec.scripts import fiberflat, procexp, sky
from desispec.specscore import compute_frame_scores
from desispec.spectra import stack
from night import Night
from table import Findings

FIELDS = ("wave", "flux", "ivar", "mask", "resolution_data", "chi2pix")


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


def reading(findings: Findings, camera: str, path: Path, image: Path, folder: Path) -> None:
    """What desispec reads is what the file holds, and comes back when it writes it."""
    frame = read_frame(str(path))
    names = ("WAVELENGTH", "FLUX", "IVAR", "MASK", "RESOLUTION", "CHI2PIX")
    with fits.open(path) as file:
        header = file[0].header
        wrong = [
            name
            for name, ours in zip(names, FIELDS, strict=True)
            if not np.array_equal(file[name].data, getattr(frame, ours))
        ]
    findings.none("read_frame: HDUs that differ from the file", camera, wrong)
    findings.at_most("Frame.vet()", camera, float(frame.vet()), 0)
    again = folder / f"again-{path.name}"
    write_frame(str(again), frame)
    other = read_frame(str(again))
    wrong = [n for n in FIELDS if not np.array_equal(getattr(frame, n), getattr(other, n))]
    wrong += [n for n in ("fibermap", "scores") if not _same(getattr(frame, n), getattr(other, n))]
    findings.none("write_frame, read_frame: what differs", camera, wrong)
    kept = fits.getheader(again)
    findings.none("write_frame: keywords lost or changed", camera, _lost(header, kept))
    asked = fits.getheader(image, "IMAGE")
    findings.none("keywords of the image lost or changed", camera, _lost(asked, header))
    # Production counts electrons a bin, whatever BUNIT says.
    scores, _ = compute_frame_scores(frame, suffix="RAW", flux_per_angstrom=False)
    worst = max(np.max(np.abs(frame.scores[n] / scores[n] - 1)) for n in scores)
    findings.at_most("scores by desispec, relative", camera, worst, 1e-6)


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return list(a.dtype.names) == list(b.dtype.names) and all(
        np.array_equal(a[n], b[n]) for n in a.dtype.names
    )


def _lost(before: fits.Header, after: fits.Header) -> list[str]:
    """Keywords of a header that another lacks or has otherwise; those of the HDU's form apart."""
    form = ("SIMPLE", "XTENSION", "BITPIX", "EXTEND", "EXTNAME", "PCOUNT", "GCOUNT", "BUNIT")
    form += ("CHECKSUM", "DATASUM", "COMMENT", "HISTORY", "")
    return [
        key
        for key, value in before.items()
        if key not in form and not key.startswith("NAXIS") and after.get(key) != value
    ]


def flats(
    findings: Findings, night: Night, camera: str, frame: Path, flat_file: Path
) -> np.ndarray:
    """The fiber flat of a frame against the throughputs; what of it is common to all fibers."""
    fiberflat.main(["-i", str(frame), "-o", str(flat_file)])
    flat = read_fiberflat(str(flat_file))
    good = (flat.ivar > 0) & (flat.mask == 0)
    # What is common to all fibers is no part of a flat: desispec's is 1 in its own mean.
    wave = night.wave[camera]
    ratio = np.mean(flat.fiberflat / night.throughput[camera], axis=0)
    pull = ((flat.fiberflat - night.throughput[camera] * ratio) * np.sqrt(flat.ivar))[good]
    normal(findings, "fiberflat", camera, pull)
    findings.at_most("fiberflat: masked, fraction", camera, 1 - good.mean(), 0.01)
    return np.polynomial.Polynomial.fit(wave, ratio, 3)(wave)


def run(findings: Findings, night: Night, frames: dict[tuple[str, int], Path], out: Path) -> None:
    """All steps; their files lie in `out`."""
    out.mkdir(exist_ok=True)
    calibrated = []
    [flat] = night.of("flat")
    for camera in night.cameras:
        wave = night.wave[camera]
        for expid in (flat, night.of("science")[0]):
            reading(findings, camera, frames[camera, expid], night.preproc(camera, expid), out)
        flat_file = out / f"fiberflat-{camera}.fits"
        common = flats(findings, night, camera, frames[camera, flat], flat_file)

        for expid in night.of("sky", "science"):
            name = f"{camera}-{expid:08d}.fits"
            sky_file, sframe_file = out / f"sky-{name}", out / f"sframe-{name}"
            frame_file = str(frames[camera, expid])
            flat_option = ["--fiberflat", str(flat_file)]
            sky.main(["-i", frame_file, *flat_option, "-o", str(sky_file)])
            steps = ["-i", frame_file, *flat_option, "--sky", str(sky_file), "--no-tsnr"]
            steps += ["--no-xtalk"]
            procexp.main(procexp.parse([*steps, "-o", str(sframe_file)]))
            sframe = read_frame(str(sframe_file))
            assert read_sky(str(sky_file)).flux.shape == sframe.flux.shape
            skies = np.array(night.skies)
            if expid in night.of("sky"):
                skies = np.arange(len(sframe.flux))
            expected = np.sqrt(
                (1 - 1 / len(skies)) / (1 + 1 / len(skies))
            )  # the model is a mean of these fibers
            residual = pulls(sframe, 0.0, skies)
            what = f"sky residuals, {expid}"
            normal(findings, what, camera, residual, expected - 0.05, expected + 0.05)
            if expid in night.of("sky"):
                continue
            electrons = night.flux[camera] * night.calibration[camera] / common
            targets = np.setdiff1d(np.arange(len(electrons)), skies)
            truth = seen(sframe, electrons)
            normal(findings, f"sframe, targets, {expid}", camera, pulls(sframe, truth, targets))

            stars = np.flatnonzero(isStdStar(sframe.fibermap))
            assert list(stars) == list(night.stars), stars
            models = night.flux[camera][stars]
            calibration = compute_flux_calibration(sframe, wave, models, stars)
            calib_file, cframe_file = out / f"fluxcalib-{name}", out / f"cframe-{name}"
            write_flux_calibration(str(calib_file), calibration)
            steps += ["--calib", str(calib_file)]
            procexp.main(procexp.parse([*steps, "-o", str(cframe_file)]))
            ratio = np.median(calibration.calib / night.calibration[camera] * common)
            findings.within(f"calibration / truth, {expid}", camera, ratio, 0.99, 1.01)
            cframe = read_frame(str(cframe_file))
            truth = seen(cframe, night.flux[camera])
            normal(findings, f"cframe, targets, {expid}", camera, pulls(cframe, truth, targets))
            calibrated.append(cframe_file)
    coadds(findings, night, calibrated, out)


def coadds(findings: Findings, night: Night, files: list[Path], out: Path) -> None:
    """Spectra of all exposures and cameras, written, read, and added up."""
    by_exposure = {}
    for file in files:
        spectra = read_frame_as_spectra(str(file))
        expid = spectra.meta["EXPID"]
        if expid in by_exposure:
            by_exposure[expid].update(spectra)
        else:
            by_exposure[expid] = spectra
    spectra = stack(list(by_exposure.values()))
    write_spectra(str(out / "spectra.fits"), spectra)
    again = read_spectra(str(out / "spectra.fits"))
    wrong = [
        f"{name} {band}"
        for band in spectra.bands
        for name in ("wave", "flux", "ivar", "mask", "resolution_data")
        if not np.allclose(
            getattr(spectra, name)[band], getattr(again, name)[band], rtol=1e-6, atol=1e-7
        )
    ]
    findings.none("write_spectra, read_spectra: what differs", "all", wrong)
    coadd(again, onetile=True)
    both = dict.fromkeys(again.bands, again)
    added = coadd_cameras(again)
    both[added.bands[0]] = added
    for band, coadded in both.items():
        wave = coadded.wave[band]
        frame = Frame(
            wave,
            coadded.flux[band],
            coadded.ivar[band],
            mask=coadded.mask[band],
            resolution_data=coadded.resolution_data[band],
            fibers=np.arange(len(coadded.flux[band])),
        )
        flux = night.flux_at(wave)
        targets = np.setdiff1d(np.arange(len(flux)), night.skies)
        normal(findings, "coadd, targets", band, pulls(frame, seen(frame, flux), targets))
