"""spex-compare --production, on frames that desispec itself extracts and masks.

A tiny CCD, whose first and last patches the CCD's edge cuts. Nothing that is expected may be called
wrong; every fault that is planted into desispec's frame must be found.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from astropy.io import fits
from astropy.table import Table
from desispec.scripts import badcolumn_mask, extract
from table import Findings

ROOT = Path(__file__).parents[2]
EXPID = 5
EXPECTED = {"ccd-edge", "bad-columns", "made-by"}  # in every frame of this night

Hdus = fits.HDUList


def scaled(hdus: Hdus) -> None:
    """A subbundle that is a thousandth too bright."""
    hdus["FLUX"].data[5:10] *= np.float32(1.001)


def swapped(hdus: Hdus) -> None:
    """Two fibers in each other's rows."""
    for name in ("FLUX", "IVAR", "RESOLUTION", "CHI2PIX", "MASK"):
        hdus[name].data[[3, 17]] = hdus[name].data[[17, 3]]


def shifted(hdus: Hdus) -> None:
    """A fiber whose wavelengths are off by a hundredth of a bin."""
    flux, lit = hdus["FLUX"].data[12].astype(float), hdus["IVAR"].data[12] > 0
    hdus["FLUX"].data[12] = np.where(lit, flux - 0.01 * np.gradient(flux), flux)


def of_wrong_width(hdus: Hdus) -> None:
    """Weights without the square of the bin's width."""
    hdus["IVAR"].data /= np.float32(0.8**2)


def transposed(hdus: Hdus) -> None:
    """R by rows instead of columns, of one fiber."""
    R = hdus["RESOLUTION"].data[7]
    ndiagonals = len(R)
    rows = [np.roll(R[ndiagonals - 1 - d], ndiagonals // 2 - d) for d in range(ndiagonals)]
    hdus["RESOLUTION"].data[7] = np.where(hdus["IVAR"].data[7] > 0, rows, R)


def other_mask(hdus: Hdus) -> None:
    """A good bin that is called bad, far from the edge of the CCD."""
    hdus["MASK"].data[8, 75] ^= np.uint32(1)


def other_exposure_time(hdus: Hdus) -> None:
    """A keyword with another value."""
    hdus["FLUX"].header["EXPTIME"] += 1


def lost_patch(hdus: Hdus) -> None:
    """A patch that is lost in the middle of the CCD."""
    for name in ("FLUX", "IVAR", "CHI2PIX", "MASK"):
        hdus[name].data[10:15, 50:100] = 0
    hdus["RESOLUTION"].data[10:15, :, 50:100] = 0


def other_target(hdus: Hdus) -> None:
    """A fiber with the identity of another."""
    hdus["FIBERMAP"].data["TARGETID"][4] += 1


#: The HDU in which each fault must be reported.
PLANTED: dict[Callable[[Hdus], None], str] = {
    scaled: "FLUX",
    swapped: "FLUX",
    shifted: "FLUX",
    of_wrong_width: "IVAR",
    transposed: "RESOLUTION",
    other_mask: "MASK",
    other_exposure_time: "FLUX",
    lost_patch: "IVAR",
    other_target: "FIBERMAP",
}


def extracted(programs: Path, camera: str, out: Path) -> tuple[Path, Path]:
    """A frame of ours, and desispec's with masked bad columns, of the same image."""
    name = f"{camera}-{EXPID:08d}"
    preproc, psf = out / f"preproc-{name}.fits", out / f"psf-{name}.fits"
    command = [programs / "spex-sim", "-o", out, "--size", "tiny", "--overwrite"]
    command += ["--cameras", camera, "--expid", f"{EXPID}", "--loglevel", "warn"]
    subprocess.run(command, check=True)
    header = fits.getheader(psf, "XTRACE")
    # Beyond both ends of the CCD, within the range of the PSF.
    grid = f"{header['WAVEMIN'] + 10},{header['WAVEMAX'] - 11},0.8"
    ours, raw = out / f"ours/frame-{name}.fits", out / f"raw-{name}.fits"
    common = ["-i", str(preproc), "-p", str(psf), "-w", grid, "--psferr", "0.01"]
    # desispec takes tiny CCDs of b and z for other arms, whose scores it computes.
    common += [] if camera.startswith("r") else ["--no-scores"]
    subprocess.run(
        [programs / "spex-cpu", *common, "-o", ours, "--method", "cholesky", "--loglevel", "error"],
        check=True,
    )
    extract.main(extract.parse([*common, "-o", str(raw), "-n", "25", "--no-gpu"]))
    # A column between two fibers is bad, as desi_proc masks it after the extraction.
    columns = out / f"badcolumns-{camera}.csv"
    Table({"COLUMN": [fits.getdata(psf, "XTRACE")[6, 0] + 2], "ELEC_PER_SEC": [0.02]}).write(
        columns, overwrite=True
    )
    theirs = out / f"production/{EXPID:08d}/frame-{name}.fits"
    words = ["-i", raw, "-o", theirs, "--psf", psf, "--badcolumns", columns]
    badcolumn_mask.main(badcolumn_mask.parse([str(word) for word in words]))
    shutil.copy(psf, theirs.parent)
    return ours, theirs


def compare(programs: Path, production: Path, ours: Path, out: Path) -> tuple[int, dict, str]:
    """Status, report and what the program printed."""
    report = out / "report.json"
    command = [programs / "spex-compare", "--production", production, ours, "--json", report]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, json.loads(report.read_text()), done.stdout + done.stderr


def run(findings: Findings, cameras: list[str], programs: Path, out: Path) -> None:
    """Both kinds of mistakes that a comparison can make."""
    shutil.rmtree(out, ignore_errors=True)
    for folder in ("ours", f"production/{EXPID:08d}"):
        (out / folder).mkdir(parents=True)
    pairs = {camera: extracted(programs, camera, out) for camera in cameras}
    status, report, said = compare(programs, out / "production", out / "ours", out)
    (out / "report.txt").write_text(said)
    for frame in report["frames"]:
        reasons = {one["reason"] for one in frame["differences"]}
        wrong = [
            f"{one['hdu']} {one['what']}" for one in frame["differences"] if not one["expected"]
        ]
        wrong += [f"no {reason}" for reason in sorted(EXPECTED - reasons)]
        findings.none(
            "spex-compare --production: wrongly not expected, or not seen", frame["camera"], wrong
        )
    findings.none("spex-compare --production: status", "all", [f"{status}"] if status else [])
    page = subprocess.run(
        [
            ROOT / ".venv/bin/python",
            "-m",
            "spexreports",
            "production",
            out / "report.json",
            "--out",
            out / "page",
        ],
        env=os.environ | {"PYTHONPATH": str(ROOT / "reports")},
        capture_output=True,
        text=True,
    )
    findings.none(
        "spex-reports production: status", "all", [page.stderr.strip()] if page.returncode else []
    )
    for camera, (ours, theirs) in pairs.items():
        findings.none(
            "spex-compare --production: planted and not found",
            camera,
            [
                fault.__name__
                for fault, hdu in PLANTED.items()
                if not found(programs, fault, hdu, ours, theirs, out)
            ],
        )


def found(
    programs: Path, fault: Callable[[Hdus], None], hdu: str, ours: Path, theirs: Path, out: Path
) -> bool:
    """Whether a fault of production's frame is reported, in its HDU."""
    folder = out / f"{fault.__name__}-{theirs.name}"
    folder.mkdir(exist_ok=True)
    changed = folder / theirs.name
    with fits.open(theirs) as hdus:
        fault(hdus)
        hdus.writeto(changed, overwrite=True, checksum=True)
    shutil.copy(theirs.with_name(theirs.name.replace("frame", "psf")), folder)
    status, report, _ = compare(programs, folder, ours, folder)
    (frame,) = report["frames"]
    wrong = {one["hdu"] for one in frame["differences"] if not one["expected"]}
    print(
        f"        {frame['camera']}  {fault.__name__}: {sorted(wrong)} {frame['looks_like']}",
        file=sys.stderr,
        flush=True,
    )
    return status == 3 and hdu in wrong
