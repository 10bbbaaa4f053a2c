"""desispec's own extraction of the same images, and how our frames differ from its."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import spexbench
from astropy.io import fits
from night import GRID, NFIBER, Night
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


#: Angstrom, of the pieces of frames that are compared: desispec takes a minute for a frame.
WIDTH = 240.0


def psferr(camera: str) -> str:
    """As desi_proc has it."""
    return "0.04" if camera[0] == "b" else "0.01"


def part(camera: str, whole: bool) -> str:
    """wmin,wmax,dw of the wavelengths that are compared."""
    wmin, wmax, dw = GRID[camera[0]]
    if not whole:
        wmin += 800
        wmax = wmin + WIDTH
    return f"{wmin},{wmax},{dw}"


def arguments(
    night: Night, camera: str, expid: int, output: Path, out: Path, whole: bool
) -> list[str]:
    """Command line of desi_extract_spectra, as desi_proc writes it; inputs relative to `out`."""
    corrected = night.barycentric and expid not in night.of("flat")
    image, psf = (
        f.relative_to(out) for f in (night.preproc(camera, expid), night.psf(camera, expid))
    )
    return [
        *("-i", str(image), "-p", str(psf)),
        *("-o", str(output), "-w", part(camera, whole), "-n", str(NFIBER)),
        *("--psferr", psferr(camera), "--no-gpu"),
        *(["--barycentric-correction"] if corrected else []),
    ]


def extract(
    night: Night, jobs: list[tuple[str, int]], out: Path, by: str, whole: bool
) -> dict[tuple[str, int], Path]:
    """Files of desispec's frames; `by` is "numpy", gpu_specter itself, or "spexbench".

    Paths are relative to `out`, as those of our frames are, whose headers name them.
    """
    folder = night.folder.parent / ("by-import" if by == "spexbench" else "production")
    folder.mkdir(exist_ok=True)
    files = {job: folder / f"frame-{job[0]}-{job[1]:08d}.fits" for job in jobs}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment = {**os.environ, **threads, "DESI_LOGLEVEL": "warning"}

    def run(job: tuple[str, int]) -> None:
        log = files[job].with_suffix(".log")
        with log.open("w") as output:
            status = subprocess.run(
                [sys.executable, "-c", SCRIPT, by, *arguments(night, *job, files[job], out, whole)],
                cwd=out,
                env=environment,
                stdout=output,
                stderr=output,
            ).returncode
        if status != 0:
            sys.exit(f"desispec-check: {log}: desi_extract_spectra ended with {status}")

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
