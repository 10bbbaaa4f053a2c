"""Simulates nights, extracts them, and puts desispec's steps and desispec's own frames beside them.

Run by ci/desispec-check, whose options these are.
"""

import argparse
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import chain
import night as nights
import options
import proc
import production
import spots
from astropy.io.fits.verify import VerifyWarning
from astropy_iers_data import IERS_A_FILE
from table import Findings

MAKERS = {"gpu_specter": nights.by_gpu_specter, "spex-sim": nights.by_spex_sim}


def extract(
    args: argparse.Namespace, night: nights.Night, jobs: list[tuple[str, int]], pieces: bool
) -> dict[tuple[str, int], Path]:
    """Frames of (camera, expid), by a run of spex-cpu or spex-gpu for each camera."""
    folder = night.folder.parent / ("pieces" if pieces else "frames")
    folder.mkdir(exist_ok=True)
    frames = {job: folder / f"frame-{job[0]}-{job[1]:08d}.fits" for job in jobs}
    for camera in sorted({camera for camera, _ in jobs}):
        lines = [
            f"{camera} {night.preproc(camera, expid)} {night.psf(camera, expid)} {frame}"
            for (other, expid), frame in sorted(frames.items())
            if other == camera
        ]
        (folder / "list").write_text("\n".join(lines) + "\n")
        command = [args.bin / args.program, "--list", folder / "list"]
        command += ["--psferr", production.psferr(camera), "--loglevel", "warn"]
        if night.barycentric:
            command += ["--barycentric-by-obstype", "--iers", args.iers]
        if pieces:
            command += ["-w", production.part(camera, args.whole)]
        elif args.program == "spex-cpu":
            command += ["--method", "cholesky"]  # which is equal within 1e-6, and faster
        if status := subprocess.run(command).returncode:
            sys.exit(f"desispec-check: {args.program} ended with {status}")
    return frames


def check(args: argparse.Namespace, night: nights.Night, step: Callable[[str], None]) -> Findings:
    """All that is looked at of a night."""
    findings = Findings()
    out = night.folder.parent
    spots.run(findings, night)
    step(f"extracting by {args.program}")
    every = [(camera, e.expid) for camera in night.cameras for e in night.exposures]
    frames = extract(args, night, every, pieces=False)
    step("desispec's steps")
    chain.run(findings, night, frames, out / "steps")
    if night.images == "spex-sim":
        step("desi_proc itself")
        proc.run(findings, night, args.bin / args.program, out / "proc")
    science = night.of("science")[0]
    jobs = [(camera, science) for camera in night.cameras]
    if night.barycentric:
        jobs.append((night.cameras[-1], night.of("flat")[0]))
    what = "frames" if args.whole else f"pieces of {production.WIDTH:g} Angstrom"
    step(f"{len(jobs)} {what} by {args.program}")
    ours = extract(args, night, jobs, pieces=True)
    step(f"{len(jobs)} {what} by desi_extract_spectra with spexbench.extract_frame")
    by_import = production.extract(night, jobs, out / "by-import", "spexbench", args.whole)
    step(f"{len(jobs)} {what} by desi_extract_spectra itself")
    theirs = production.extract(night, jobs, out / "production", "numpy", args.whole)
    for job in jobs:
        kind = "barycentric" if night.barycentric and job[1] == science else "not barycentric"
        name = f"{args.program} and desispec, {kind}"
        production.compare(findings, name, job[0], ours[job], theirs[job])
        name = f"extract_frame and desispec, {kind}"
        production.compare(findings, name, job[0], by_import[job], theirs[job])
    return findings


def main() -> int:
    """The exit status: 0 where all limits hold, 3 where one does not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, required=True, help="folder of the programs")
    parser.add_argument("--out", type=Path, required=True, help="folder of all files")
    parser.add_argument("--program", choices=["spex-cpu", "spex-gpu"], default="spex-cpu")
    parser.add_argument("--cameras", default="b0,r0,z0")
    parser.add_argument("--images", choices=[*MAKERS, "both"], default="both")
    parser.add_argument(
        "--iers",
        type=Path,
        default=IERS_A_FILE,
        help="finals2000A.all, as spex-cpu takes it; astropy's where not given",
    )
    parser.add_argument("--whole", action="store_true", help="desispec's frames are whole too")
    args = parser.parse_args()
    warnings.simplefilter("ignore", VerifyWarning)  # of HIERARCH cards, which are meant
    start = time.monotonic()

    def step(text: str) -> None:
        print(f"{time.monotonic() - start:5.0f} s  {text}", file=sys.stderr, flush=True)

    step("command lines")
    tables = {"Command lines": Findings()}
    options.run(tables["Command lines"], args.bin.parent / "tests/spex_print_extract_options")
    for images in MAKERS if args.images == "both" else [args.images]:
        step(f"simulating, by {images}")
        folder = args.out / images / "night"
        night = MAKERS[images](folder, args.bin / "spex-sim", args.cameras.split(","))
        tables[f"Images by {images}"] = check(args, night, step)
    step("done")
    for title, findings in tables.items():
        print(f"{title}\n\n{findings.table()}\n")
    failed = sum(findings.failed() for findings in tables.values())
    print(f"{sum(len(f.all) for f in tables.values())} findings, {failed} beyond their limits")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
