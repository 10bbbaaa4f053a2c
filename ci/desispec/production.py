"""desispec's own extraction of the same images, and how our frames differ from its."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import spexbench
from astropy.io import fits
from night import FLAT, GRID, NFIBER, Job, Night
from table import Findings

#: Keywords that are of the file or of the extractor, not of the frame.
OWN = {"CHECKSUM", "DATASUM", "SPECTER", "COMMENT", "HISTORY", ""}

#: Run by a process of its own: gpu_specter's NumPy path, or its function replaced.
SCRIPT = """
import sys
if sys.argv[1] == "spexbench":
    import gpu_specter.core, spexbench
    gpu_specter.core.extract_frame = spexbench.extract_frame
from desispec.scripts import extract
extract.main(extract.parse(sys.argv[2:]))
"""


def piece(camera: str) -> str:
    """wmin,wmax,dw of the wavelengths that are compared: desispec takes a minute for a frame."""
    wmin, _, dw = GRID[camera[0]]
    return f"{wmin + 800},{wmin + 1040},{dw}"


def extract(night: Night, jobs: list[Job], by: str) -> dict[Job, Path]:
    """Files of desispec's frames; `by` is "numpy", gpu_specter itself, or "spexbench".

    Input paths are relative, as those of our frames are, whose headers name them.
    """
    folder = night.folder / f"by-{by}"
    folder.mkdir(exist_ok=True)
    files = {job: folder / f"frame-{job[0]}-{job[1]}.fits" for job in jobs}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment = {**os.environ, **threads, "DESI_LOGLEVEL": "warning"}

    def run(job: Job) -> None:
        camera, expid = job
        # As desi_proc writes the command line.
        options = ["-i", night.file("preproc", *job).name, "-p", night.file("psf", *job).name]
        options += ["-o", str(files[job]), "-w", piece(camera), "-n", str(NFIBER), "--no-gpu"]
        options += ["--psferr", "0.04" if camera[0] == "b" else "0.01"]
        options += [] if expid == FLAT else ["--barycentric-correction"]
        log = files[job].with_suffix(".log")
        command = [sys.executable, "-c", SCRIPT, by, *options]
        with log.open("w") as output:
            done = subprocess.run(
                command, cwd=night.folder, env=environment, stdout=output, stderr=output
            )
        if done.returncode != 0:
            sys.exit(f"desispec-check: {log}: desi_extract_spectra ended with {done.returncode}")

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(run, jobs))
    return files


def differing(ours: fits.Header, theirs: fits.Header) -> list[str]:
    """Keywords of theirs that ours lacks, or has with another value."""
    wrong = []
    for key, value in theirs.items():
        if key in OWN or key.startswith(("DEPNAM", "DEPVER", "NAXIS", "TTYPE", "TFORM", "TUNIT")):
            continue
        if key not in ours:
            wrong.append(f"{key} missing")
        elif ours[key] != value and key != "HELIOCOR":
            wrong.append(f"{key} {ours[key]!r} for {value!r}")
    return wrong


def compare(findings: Findings, name: str, camera: str, ours: Path, theirs: Path) -> None:
    """Our frame against desispec's, field by field."""
    wrong = []
    for check in spexbench.compare(ours, theirs).report["comparison"]["checks"]:
        if check["what"] in ("flux pull", "ivar, relative", "resolution", "chi2pix, relative"):
            # Both files are of float32: the limit holds for what its rounding does not explain.
            what = f"{name}: {check['what']}, beyond float32"
            findings.at_most(what, camera, check["beyond_rounding"], check["limit"])
        elif not check["ok"]:
            wrong.append(f"{check['hdu']}: {check['what']}")
    with fits.open(ours) as a, fits.open(theirs) as b:
        if [hdu.name for hdu in a] != [hdu.name for hdu in b]:
            wrong.append("order of HDUs")
        wrong += [f"{hdu.name}: type" for hdu in b if _kind(a[hdu.name]) != _kind(hdu)]
        wrong += [
            f"{table}: {'rows' if table == 'FIBERMAP' else 'values'}"
            for table in ("WAVELENGTH", "FIBERMAP")
            if a[table].data.tobytes() != b[table].data.tobytes()
        ]
        scores = [(a["SCORES"].data[n], b["SCORES"].data[n]) for n in b["SCORES"].columns.names]
        worst = max(np.max(np.abs(x - y) / np.maximum(np.abs(y), 1e-30)) for x, y in scores)
        findings.at_most(f"{name}: SCORES, relative", camera, worst, 1e-6)
        factors = [file["FLUX"].header.get("HELIOCOR", 1.0) for file in (a, b)]
        what = f"{name}: HELIOCOR, relative"
        findings.at_most(what, camera, abs(factors[0] / factors[1] - 1), 1e-12)
        for hdu in ("FLUX", "FIBERMAP", "SCORES"):
            wrong += [f"{hdu}: {key}" for key in differing(a[hdu].header, b[hdu].header)]
    what = f"{name}: HDUs, types, MASK, WAVELENGTH, FIBERMAP, keywords that differ"
    findings.none(what, camera, wrong)


def _kind(hdu: fits.hdu.base.ExtensionHDU) -> tuple:
    """What sort of HDU, of what type and shape."""
    if isinstance(hdu, fits.BinTableHDU):
        return ("table", *hdu.columns.names)
    return ("image", hdu.header["BITPIX"], hdu.header.get("BZERO", 0), hdu.shape)
