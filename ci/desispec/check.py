"""Simulates a night, extracts it, and puts desispec's steps and desispec's own frames beside it.

Run by ci/desispec-check, whose options these are.
"""

import argparse
import subprocess
import sys
import time
import warnings
from pathlib import Path

import chain
import night as nights
import production
from astropy.io.fits.verify import VerifyWarning
from astropy_iers_data import IERS_A_FILE
from table import Findings


def extract(
    args: argparse.Namespace, night: nights.Night, jobs: list[tuple[str, int]], pieces: bool
) -> dict[tuple[str, int], Path]:
    """Frames of (camera, expid), by a run of spex-cpu or spex-gpu for each camera."""
    folder = args.out / ("pieces" if pieces else "frames")
    folder.mkdir(exist_ok=True)
    frames = {job: folder / f"frame-{job[0]}-{job[1]:08d}.fits" for job in jobs}
    for camera in sorted({camera for camera, _ in jobs}):
        lines = [
            f"{camera} {night.preproc(camera, expid)} {night.psf(camera)} {frames[camera, expid]}"
            for expid in sorted(expid for other, expid in jobs if other == camera)
        ]
        (folder / "list").write_text("\n".join(lines) + "\n")
        command = [args.bin / args.program, "--list", folder / "list"]
        command += ["--psferr", production.psferr(camera), "--loglevel", "warn"]
        command += ["--barycentric-by-obstype", "--iers", args.iers]
        if pieces:
            command += ["-w", production.part(camera, args.whole)]
        elif args.program == "spex-cpu":
            command += ["--method", "cholesky"]  # which is equal within 1e-6, and faster
        if status := subprocess.run(command).returncode:
            sys.exit(f"desispec-check: {args.program} ended with {status}")
    return frames


def main() -> int:
    """The exit status: 0 where all limits hold, 3 where one does not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, required=True, help="folder of the programs")
    parser.add_argument("--out", type=Path, required=True, help="folder of all files")
    parser.add_argument("--program", choices=["spex-cpu", "spex-gpu"], default="spex-cpu")
    parser.add_argument("--cameras", default="b0,r0,z0")
    parser.add_argument(
        "--iers",
        type=Path,
        default=IERS_A_FILE,
        help="finals2000A.all, as spex-cpu takes it; astropy's where not given",
    )
    parser.add_argument("--whole", action="store_true", help="desispec's frames are whole too")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", VerifyWarning)  # of HIERARCH cards, which are meant
    start = time.monotonic()

    def step(text: str) -> None:
        print(f"{time.monotonic() - start:5.0f} s  {text}", file=sys.stderr, flush=True)

    findings = Findings()
    step("simulating")
    night = nights.make(args.out / "night", args.bin / "spex-sim", args.cameras.split(","))
    step(f"extracting by {args.program}")
    every = [(camera, e.expid) for camera in night.cameras for e in nights.EXPOSURES]
    frames = extract(args, night, every, pieces=False)
    step("desispec's steps")
    chain.run(findings, night, frames, args.out / "steps")
    jobs = [(camera, chain.SCIENCE[0]) for camera in night.cameras]
    jobs.append((night.cameras[-1], chain.FLATS[0]))
    what = "frames" if args.whole else f"pieces of {production.WIDTH:g} Angstrom"
    step(f"{len(jobs)} {what} by {args.program}")
    ours = extract(args, night, jobs, pieces=True)
    step(f"{len(jobs)} {what} by desi_extract_spectra with spexbench.extract_frame")
    by_import = production.extract(night, jobs, args.out / "by-import", "spexbench", args.whole)
    step(f"{len(jobs)} {what} by desi_extract_spectra itself")
    theirs = production.extract(night, jobs, args.out / "production", "numpy", args.whole)
    for job in jobs:
        kind = "barycentric" if job[1] in chain.SCIENCE else "flat"
        name = f"{args.program} and desispec, {kind}"
        production.compare(findings, name, job[0], ours[job], theirs[job])
        name = f"extract_frame and desispec, {kind}"
        production.compare(findings, name, job[0], by_import[job], theirs[job])
    step("done")
    print(findings.table())
    print(f"\n{len(findings.all)} findings, {findings.failed()} beyond their limits")
    return 3 if findings.failed() else 0


if __name__ == "__main__":
    sys.exit(main())
