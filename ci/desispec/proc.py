"""desi_proc itself, patched as docs/desi-proc.md says, on a night of spex-sim.

A copy of desispec is patched and run; a production's tree and a calibration folder without
calibrations are made for it. Preprocessed images and PSFs are there already, so that desi_proc goes
on with the extraction, and with what follows it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import desispec
import numpy as np
from astropy.io import fits
from night import NIGHT, Night
from table import Findings

ROOT = Path(__file__).parents[2]
SPEX = ROOT / "mpi/programs/desi_proc"


def _patched(folder: Path) -> Path:
    """A copy of desispec's Python, with the patch."""
    source = Path(desispec.__file__).parents[2]
    shutil.copytree(source / "py", folder / "py")
    shutil.copytree(source / "bin", folder / "bin")
    patch = (SPEX / "desi_proc.patch").read_bytes()
    subprocess.run(["patch", "-s", "-p1"], cwd=folder, input=patch, check=True)
    return folder


def _raw(night: Night, expid: int, flavor: str, folder: Path) -> None:
    """Raw data, of which desi_proc reads the headers."""
    taken = ("NIGHT", "EXPID", "EXPTIME", "MJD-OBS", "DATE-OBS", "TILEID", "DETECTOR", "SPECGRPH")
    hdus = [fits.PrimaryHDU()]
    for name in ("SPEC", *night.cameras):
        camera = name if name in night.cameras else night.cameras[0]
        header = fits.getheader(night.preproc(camera, expid), "IMAGE")
        hdu = fits.ImageHDU(np.zeros((2, 2), "i2"), name=name.upper())
        hdu.header.update({key: header[key] for key in taken})
        hdu.header["OBSTYPE"], hdu.header["CAMERA"] = flavor.upper(), camera
        hdus.append(hdu)
    folder.mkdir(parents=True)
    fits.HDUList(hdus).writeto(folder / f"desi-{expid:08d}.fits.fz")


def _amplifiers(image: fits.Header) -> dict[str, str]:
    """Sections of amplifiers, which spex-sim's CCDs have none of: quarters without overscan."""
    nx, ny = image["NAXIS1"], image["NAXIS2"]
    columns = [f"1:{nx // 2}", f"{nx // 2 + 1}:{nx}"]
    rows = [f"1:{ny // 2}", f"{ny // 2 + 1}:{ny}"]
    sections = {}
    for amplifier, (y, x) in zip("ABCD", np.ndindex(2, 2), strict=True):
        for kind in ("CCDSEC", "BIASSEC"):
            sections[kind + amplifier] = f"[{columns[x]},{rows[y]}]"
    return sections


def _images(night: Night, expid: int, redux: Path) -> None:
    """Images, PSFs and FIBERMAP, newer than the raw data."""
    preproc = redux / f"preproc/{NIGHT}/{expid:08d}"
    exposure = redux / f"exposures/{NIGHT}/{expid:08d}"
    calibration = redux / f"calibnight/{NIGHT}"
    for folder in (preproc, exposure, calibration):
        folder.mkdir(parents=True, exist_ok=True)
    for camera in night.cameras:
        with fits.open(night.preproc(camera, expid)) as file:
            header = file["IMAGE"].header
            header.update(_amplifiers(header))
            file.writeto(preproc / f"preproc-{camera}-{expid:08d}.fits.gz")
            fibermap = fits.HDUList([fits.PrimaryHDU(), file["FIBERMAP"].copy()])
            fibermap.writeto(preproc / f"fibermap-{expid:08d}.fits", overwrite=True)
        shutil.copy(night.psf(camera, expid), exposure / f"psf-{camera}-{expid:08d}.fits")
        shutil.copy(night.psf(camera, expid), calibration / f"psfnight-{camera}-{NIGHT}.fits")


def _give(night: Night, expid: int, frames: dict[tuple[str, int], Path], folder: Path) -> None:
    """Puts frames where an extraction before desi_proc would have put them."""
    for camera in night.cameras:
        name = f"frame-{camera}-{expid:08d}-no-badcolumn-mask.fits.gz"
        with fits.open(frames[camera, expid]) as file:
            image = fits.getheader(night.preproc(camera, expid), "IMAGE")
            file["FLUX"].header.update(_amplifiers(image))
            file.writeto(folder / name)


def run(
    findings: Findings,
    night: Night,
    program: Path,
    given: dict[tuple[str, int], Path] | None,
    out: Path,
) -> None:
    """A flat and a science exposure, up to the subtraction of the sky.

    The program extracts them, called by desi_proc, or their frames are `given`.
    """
    shutil.rmtree(out, ignore_errors=True)
    redux, calib = out / "redux/mine", out / "calib"
    desi = _patched(out / "desispec")
    environment = {
        **os.environ,
        "PYTHONPATH": f"{desi / 'py'}:{os.environ['PYTHONPATH']}:{SPEX}",
        "DESI_SPECTRO_DATA": str(out / "data"),
        "DESI_SPECTRO_REDUX": str(out / "redux"),
        "SPECPROD": "mine",
        "DESI_SPECTRO_CALIB": str(calib),
        "DESI_LOGLEVEL": "info",
        "SPEX_BIN": str(program.parent),
        "SPEX_OPTIONS": "--method cholesky",
        "OMP_NUM_THREADS": "1",
    }
    for camera in night.cameras:
        folder = calib / f"spec/sp{camera[1]}"
        folder.mkdir(parents=True, exist_ok=True)
        known = f"{camera}:\n  v1:\n    DATE-OBS-BEGIN: 20190101\n    DETECTOR: SIM\n"
        (folder / f"{camera}.yaml").write_text(known)
    wrong = []
    [flat], science = night.of("flat"), night.of("science")[0]
    for expid, flavor, made in (
        (flat, "flat", ["frame", "fiberflat"]),
        (science, "science", ["frame", "fiberflatexp", "sky", "sframe"]),
    ):
        _raw(night, expid, flavor, out / f"data/{NIGHT}/{expid:08d}")
        _images(night, expid, redux)
        folder = redux / f"exposures/{NIGHT}/{expid:08d}"
        if given:
            _give(night, expid, given, folder)
        command = [sys.executable, desi / "bin/desi_proc", "-n", f"{NIGHT}", "-e", f"{expid}"]
        command += ["--cameras", ",".join(night.cameras), "--nostdstarfit", "--nofluxcalib"]
        log = out / f"{expid:08d}.log"
        with log.open("w") as output:
            status = subprocess.run(command, env=environment, stdout=output, stderr=output)
        if status.returncode:
            wrong.append(f"status {status.returncode} of {log}")
        runs = log.read_text().count("RUNNING: " + str(program.parent))
        if runs != (0 if given else 1):
            wrong.append(f"{log}: {runs} runs of {program.name}")
        for camera in night.cameras:
            for kind in made:
                file = folder / f"{kind}-{camera}-{expid:08d}.fits.gz"
                if not file.exists():
                    wrong.append(f"no {file.name}")
                elif kind == "fiberflat":
                    night_file = f"calibnight/{NIGHT}/fiberflatnight-{camera}-{NIGHT}.fits"
                    with fits.open(file) as hdus:
                        hdus.writeto(redux / night_file)
    how = f"on frames of {program.name}" if given else f"that calls {program.name}"
    what = f"desi_proc with the patch, {how}, flat and science to sframe: what is wrong"
    findings.none(what, "all", wrong)
