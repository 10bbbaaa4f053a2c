"""What is extracted of a night, and the commands that do so: here, or on another machine."""

import shlex
import sys
from pathlib import Path

import production
from astropy.io import fits
from night import Night

Job = tuple[str, int]  # camera, expid

SCRIPT = """#!/usr/bin/env bash
# Extracts the images of this folder, which ci/desispec-check made, wherever it lies.
#
# usage: extract COMMAND...   such as: extract {program}, or: extract srun -n 2 {program}
set -euo pipefail
(($#)) || {{ echo "extract: no command is given (expected {program})" >&2 && exit 2; }}
[[ ! -f $1 ]] || set -- "$(realpath "$1")" "${{@:2}}"
cd "$(dirname "${{BASH_SOURCE[0]}}")"
"""


def whole(night: Night) -> list[Job]:
    """All frames of a night: desispec's steps work on these."""
    return [(camera, e.expid) for camera in night.cameras for e in night.exposures]


def beside(night: Night) -> list[Job]:
    """Those that are extracted by desispec too, in pieces where it is not to take whole ones."""
    jobs = [(camera, night.of("science")[0]) for camera in night.cameras]
    if night.barycentric:
        jobs.append((night.cameras[-1], night.of("flat")[0]))
    return jobs


def frames(night: Night, jobs: list[Job], kind: str) -> dict[Job, Path]:
    """Files of frames, of `kind` "frames" or "pieces"."""
    folder = night.folder.parent / kind
    return {job: folder / f"frame-{job[0]}-{job[1]:08d}.fits" for job in jobs}


def write_script(out: Path, nights: list[Night], program: str, all_of_it: bool) -> Path:
    """Writes `out`/extract and the lists that it names; all paths in them are relative to `out`."""
    text = SCRIPT.format(program=program)
    for night in nights:
        options = ["--psferr-by-arm", "--loglevel", "warn"]
        if night.barycentric:
            options += ["--barycentric-by-obstype", "--iers", "finals2000A.all"]
        fast = ["--method", "cholesky"] if program == "spex-cpu" else []  # within 1e-6 of eigh
        runs = [("frames", "all", whole(night), fast)]
        runs += [
            (
                "pieces",
                camera,
                [job for job in beside(night) if job[0] == camera],
                ["-w", production.part(camera, all_of_it)],
            )
            for camera in night.cameras
        ]
        for kind, name, jobs, more in runs:
            of = frames(night, jobs, kind)
            listed = night.folder.parent / kind / f"{name}.list"
            listed.parent.mkdir(exist_ok=True)
            rows = ((job[0], night.preproc(*job), night.psf(*job), of[job]) for job in jobs)
            lines = (
                f"{c} " + " ".join(str(f.relative_to(out)) for f in files) for c, *files in rows
            )
            listed.write_text("\n".join(lines) + "\n")
            words = ["--list", str(listed.relative_to(out)), *options, *more]
            text += f'"$@" {shlex.join(words)}\n'
    script = out / "extract"
    script.write_text(text)
    script.chmod(0o755)
    return script


def require(nights: list[Night], program: str) -> None:
    """Ends where a frame is not there, or is another program's."""
    for night in nights:
        for kind, jobs in (("frames", whole(night)), ("pieces", beside(night))):
            for path in frames(night, jobs, kind).values():
                if not path.exists():
                    sys.exit(
                        f"desispec-check: {path}: is not there (expected of {program}; the "
                        "script extract, beside the nights, makes it)"
                    )
                found = fits.getval(path, "SPEXPROG")
                if found != program:
                    sys.exit(
                        f"desispec-check: {path}: is by {found} (expected {program}; --program "
                        "says by which)"
                    )
