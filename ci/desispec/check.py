"""Simulates a night, extracts it, and compares with desispec's steps and desispec's own frames.

Run by ci/desispec-check, whose options these are.
"""

import argparse
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import beside
import chain
import extraction
import kinds
import night as nights
import options
import proc
import production
import seams
import spots
from astropy.io.fits.verify import VerifyWarning
from astropy_iers_data import IERS_A_FILE
from night import FLAT
from table import Findings

START = time.monotonic()


def step(text: str) -> None:
    """Says what begins."""
    print(f"{time.monotonic() - START:5.0f} s  {text}", file=sys.stderr, flush=True)


def check(findings: Findings, args: argparse.Namespace, night: nights.Night) -> None:
    """All checks."""
    step("command lines")
    options.run(findings, args.bin.parent / "tests/spex_print_extract_options")
    spots.run(findings, night)
    step("specter's other kinds of PSF")
    kinds.run(findings)
    step("desispec's steps")
    steps, spex_cpu = night.folder / "steps", args.bin / "spex-cpu"
    chain.run(findings, night, extraction.frames(night), steps)
    step("desi_proc itself")
    proc.run(findings, night, spex_cpu, night.folder / "proc")
    step("sky residuals at the edges of patches")
    seams.run(findings, night, spex_cpu, steps, night.folder / "seams")
    ours = extraction.pieces(night)
    step("desi_extract_spectra with spexbench.extract_frame")
    by_import = production.extract(night, list(ours), "spexbench")
    step("desi_extract_spectra itself")
    theirs = production.extract(night, list(ours), "numpy")
    step("spex-compare --production beside desispec's frames of tiny CCDs")
    beside.run(findings, night.cameras, args.bin, night.folder / "beside")
    for job, frame in theirs.items():
        kind = "not barycentric" if job[1] == FLAT else "barycentric"
        for name, mine in ((args.program, ours[job]), ("extract_frame", by_import[job])):
            production.compare(findings, f"{name} and desispec, {kind}", job[0], mine, frame)


def main() -> int:
    """The exit status: 0 where all limits hold, 3 where one does not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, required=True, help="folder of the programs")
    parser.add_argument("--out", type=Path, required=True, help="folder of all files")
    parser.add_argument("--program", choices=["spex-cpu", "spex-gpu"], default="spex-cpu")
    parser.add_argument("--cameras", default="b0,r0,z0")
    parser.add_argument("--iers", type=Path, default=IERS_A_FILE, help="finals2000A.all")
    stages = parser.add_mutually_exclusive_group()
    stages.add_argument("--simulate-only", action="store_true", help="images, and OUT/extract")
    stages.add_argument("--extracted", action="store_true", help="the frames are there")
    args = parser.parse_args()
    warnings.simplefilter("ignore", VerifyWarning)  # of HIERARCH cards, which are meant
    night = nights.Night(args.out.resolve(), args.cameras.split(","))
    if not args.extracted:
        step("simulating")
        nights.simulate(night, args.bin / "spex-sim")
        shutil.copyfile(args.iers, night.folder / "finals2000A.all")
        script = extraction.write_script(night, args.program)
        if args.simulate_only:
            print(f"{script} extracts them, by a command such as {args.program}")
            return 0
        step(f"extracting by {args.program}")
        subprocess.run([script, args.bin / args.program], check=True)
    extraction.require(night, args.program)
    night.read_spectra()
    findings = Findings()
    check(findings, args, night)
    step("done")
    print(findings.table())
    return 3 if findings.failed() else 0


if __name__ == "__main__":
    sys.exit(main())
