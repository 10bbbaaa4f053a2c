"""Simulates nights, extracts them, and puts desispec's steps and desispec's own frames beside them.

Run by ci/desispec-check, whose options these are.
"""

import argparse
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import chain
import extraction
import night as nights
import options
import proc
import production
import seams
import spots
from astropy.io.fits.verify import VerifyWarning
from astropy_iers_data import IERS_A_FILE
from table import Findings

MAKERS = {"gpu_specter": nights.by_gpu_specter, "spex-sim": nights.by_spex_sim}


def extract(args: argparse.Namespace, script: Path) -> None:
    """Runs the script that a user may run elsewhere."""
    if status := subprocess.run([script, args.bin / args.program]).returncode:
        sys.exit(f"desispec-check: {script}: {args.program} ended with {status}")


def check(args: argparse.Namespace, night: nights.Night, step: Callable[[str], None]) -> Findings:
    """All that is looked at of a night."""
    findings = Findings()
    out = night.folder.parent
    spots.run(findings, night)
    step("desispec's steps")
    frames = extraction.frames(night, extraction.whole(night), "frames")
    chain.run(findings, night, frames, out / "steps")
    if night.images == "spex-sim":
        step("desi_proc itself")
        # Without a GPU desi_proc asks for spex-cpu: others' frames are given to it.
        given = frames if args.extracted or args.program != "spex-cpu" else None
        proc.run(findings, night, args.bin / args.program, given, out / "proc")
        step("sky residuals at the edges of patches")
        seams.run(findings, night, night.cameras[-1], args.bin / "spex-cpu", out / "seams")
    science = night.of("science")[0]
    jobs = extraction.beside(night)
    what = "frames" if args.whole else f"pieces of {production.WIDTH:g} Angstrom"
    step(f"{len(jobs)} {what} by desi_extract_spectra with spexbench.extract_frame")
    by_import = production.extract(night, jobs, args.out, "spexbench", args.whole)
    step(f"{len(jobs)} {what} by desi_extract_spectra itself")
    theirs = production.extract(night, jobs, args.out, "numpy", args.whole)
    for job, ours in extraction.frames(night, jobs, "pieces").items():
        kind = "barycentric" if night.barycentric and job[1] == science else "not barycentric"
        name = f"{args.program} and desispec, {kind}"
        production.compare(findings, name, job[0], ours, theirs[job])
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
    stages = parser.add_mutually_exclusive_group()
    stages.add_argument("--simulate-only", action="store_true", help="images, and OUT/extract")
    stages.add_argument("--extracted", action="store_true", help="the frames are there")
    parser.add_argument("--whole", action="store_true", help="desispec's frames are whole too")
    args = parser.parse_args()
    if not re.fullmatch(r"[brz]\d(,[brz]\d)*", args.cameras):
        parser.error(f"--cameras {args.cameras} (expected names such as b0,r0,z0)")
    args.out = args.out.resolve()
    warnings.simplefilter("ignore", VerifyWarning)  # of HIERARCH cards, which are meant
    start = time.monotonic()

    def step(text: str) -> None:
        print(f"{time.monotonic() - start:5.0f} s  {text}", file=sys.stderr, flush=True)

    made = []
    for images in MAKERS if args.images == "both" else [args.images]:
        if not args.extracted:
            step(f"simulating, by {images}")
        folder, cameras = args.out / images / "night", args.cameras.split(",")
        made.append(MAKERS[images](folder, args.bin / "spex-sim", cameras, not args.extracted))
    if not args.extracted:
        shutil.copyfile(args.iers, args.out / "finals2000A.all")
        script = extraction.write_script(args.out, made, args.program, args.whole)
        if args.simulate_only:
            print(f"{script} extracts them, by a command such as {args.program}")
            return 0
        step(f"extracting by {args.program}")
        extract(args, script)
    extraction.require(made, args.program)
    step("command lines")
    tables = {"Command lines": Findings()}
    options.run(tables["Command lines"], args.bin.parent / "tests/spex_print_extract_options")
    for night in made:
        tables[f"Images by {night.images}"] = check(args, night, step)
    step("done")
    for title, findings in tables.items():
        print(f"{title}\n\n{findings.table()}\n")
    failed = sum(findings.failed() for findings in tables.values())
    print(f"{sum(len(f.all) for f in tables.values())} findings, {failed} beyond their limits")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
