"""desi_proc itself, patched as docs/desi-proc.md says, on a night.

A copy of desispec is patched and run, with a production's tree and a calibration folder without
calibrations. Preprocessed images and PSFs are there already, so that desi_proc continues with the
extraction and the steps after it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import desispec
import numpy as np
from astropy.io import fits
from night import FLAT, FLAVORS, NIGHT, SCIENCE, Night
from table import Findings

SPEX = Path(__file__).parents[2] / "mpi/programs/desi_proc"
MADE = {
    FLAT: ("frame", "fiberflat"),
    SCIENCE: ("frame", "fiberflatexp", "sky", "sframe"),
}


def _patched(folder: Path) -> Path:
    """A copy of desispec's Python, with the patch."""
    source = Path(desispec.__file__).parents[2]
    for part in ("py", "bin"):
        shutil.copytree(source / part, folder / part)
    patch = (SPEX / "desi_proc.patch").read_bytes()
    subprocess.run(["patch", "-s", "-p1"], cwd=folder, input=patch, check=True)
    return folder


def _raw(night: Night, expid: int, folder: Path) -> None:
    """Raw data, of which desi_proc reads the headers."""
    taken = ("NIGHT", "EXPID", "EXPTIME", "MJD-OBS", "DATE-OBS", "TILEID", "DETECTOR", "SPECGRPH")
    hdus = [fits.PrimaryHDU()]
    for name in ("SPEC", *night.cameras):
        camera = name if name in night.cameras else night.cameras[0]
        header = fits.getheader(night.file("preproc", camera, expid), "IMAGE")
        hdu = fits.ImageHDU(np.zeros((2, 2), "i2"), name=name.upper())
        hdu.header.update({key: header[key] for key in taken})
        hdu.header["OBSTYPE"], hdu.header["CAMERA"] = FLAVORS[expid].upper(), camera
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
        with fits.open(night.file("preproc", camera, expid)) as file:
            header = file["IMAGE"].header
            header.update(_amplifiers(header))
            file.writeto(preproc / f"preproc-{camera}-{expid:08d}.fits.gz", checksum=True)
            fibermap = fits.HDUList([fits.PrimaryHDU(), file["FIBERMAP"].copy()])
            fibermap.writeto(preproc / f"fibermap-{expid:08d}.fits", overwrite=True, checksum=True)
        psf = night.file("psf", camera, expid)
        shutil.copy(psf, exposure)
        shutil.copy(psf, calibration / f"psfnight-{camera}-{NIGHT}.fits")


def run(findings: Findings, night: Night, spex_cpu: Path, out: Path) -> None:
    """A flat and a science exposure, extracted by spex-cpu, up to the subtraction of the sky."""
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
        "SPEX_BIN": str(spex_cpu.parent),
        "SPEX_OPTIONS": "--method cholesky",
        "OMP_NUM_THREADS": "1",
    }
    for camera in night.cameras:
        folder = calib / f"spec/sp{camera[1]}"
        folder.mkdir(parents=True, exist_ok=True)
        known = f"{camera}:\n  v1:\n    DATE-OBS-BEGIN: 20190101\n    DETECTOR: SIM\n"
        (folder / f"{camera}.yaml").write_text(known)
    wrong = []
    for expid, kinds in MADE.items():
        _raw(night, expid, out / f"data/{NIGHT}/{expid:08d}")
        _images(night, expid, redux)
        command = [sys.executable, desi / "bin/desi_proc", "-n", f"{NIGHT}", "-e", f"{expid}"]
        command += ["--cameras", ",".join(night.cameras), "--nostdstarfit", "--nofluxcalib"]
        log = out / f"{expid:08d}.log"
        with log.open("w") as output:
            done = subprocess.run(command, env=environment, stdout=output, stderr=output)
        if done.returncode:
            wrong.append(f"status {done.returncode} of {log}")
        if (runs := log.read_text().count(f"RUNNING: {spex_cpu.parent}")) != 1:
            wrong.append(f"{log}: {runs} runs of spex-cpu")
        folder = redux / f"exposures/{NIGHT}/{expid:08d}"
        for camera in night.cameras:
            files = [folder / f"{kind}-{camera}-{expid:08d}.fits.gz" for kind in kinds]
            wrong += [f"no {file.name}" for file in files if not file.exists()]
            if expid == FLAT and files[1].exists():
                with fits.open(files[1]) as flat:
                    name = f"calibnight/{NIGHT}/fiberflatnight-{camera}-{NIGHT}.fits"
                    flat.writeto(redux / name)
    what = "desi_proc with the patch, which calls spex-cpu, flat and science to sframe: wrong"
    findings.none(what, "all", wrong)
