"""Our frames of a night, and the script that extracts them: here, or on another machine."""

import shlex
import sys
from pathlib import Path

import production
from astropy.io import fits
from night import FLAT, FLAVORS, SCIENCE, Job, Night

SCRIPT = """#!/usr/bin/env bash
# Extracts the images of this folder, which ci/desispec-check made, wherever it lies.
#
# usage: extract COMMAND...   such as: extract {program}, or: extract srun -n 2 {program}
set -euo pipefail
(($#)) || {{ echo "extract: no command is given (expected {program})" >&2 && exit 2; }}
[[ ! -f $1 ]] || set -- "$(realpath "$1")" "${{@:2}}"
cd "$(dirname "${{BASH_SOURCE[0]}}")"
"""


def frames(night: Night) -> dict[Job, Path]:
    """The whole frames, for desispec's steps."""
    jobs = [(camera, expid) for camera in night.cameras for expid in FLAVORS]
    return {job: night.folder / "frames" / f"frame-{job[0]}-{job[1]}.fits" for job in jobs}


def pieces(night: Night) -> dict[Job, Path]:
    """The pieces of frames that desispec extracts too: with a barycentric factor, and a flat."""
    jobs = [(camera, SCIENCE) for camera in night.cameras] + [(night.cameras[-1], FLAT)]
    return {job: night.folder / "pieces" / f"frame-{job[0]}-{job[1]}.fits" for job in jobs}


def write_script(night: Night, program: str) -> Path:
    """Writes the script `extract` and its lists into the night's folder; paths are relative."""
    text = SCRIPT.format(program=program)
    fast = ["--method", "cholesky"] if program == "spex-cpu" else []  # within 1e-6 of eigh
    runs = [("frames", frames(night), fast)]
    for camera in night.cameras:
        jobs = {job: path for job, path in pieces(night).items() if job[0] == camera}
        more = ["--barycentric-by-obstype", "--iers", "finals2000A.all"]
        runs.append((f"pieces-{camera}", jobs, ["-w", production.piece(camera), *more]))
    for name, jobs, more in runs:
        lines = []
        for job, frame in jobs.items():
            frame.parent.mkdir(exist_ok=True)
            files = (night.file("preproc", *job), night.file("psf", *job), frame)
            lines.append(" ".join([job[0], *(str(f.relative_to(night.folder)) for f in files)]))
        (night.folder / f"{name}.list").write_text("\n".join(lines) + "\n")
        options = ["--list", f"{name}.list", "--psferr-by-arm", "--loglevel", "warn", *more]
        text += f'"$@" {shlex.join(options)}\n'
    script = night.folder / "extract"
    script.write_text(text)
    script.chmod(0o755)
    return script


def require(night: Night, program: str) -> None:
    """Ends the program if a frame is missing, or is another program's."""
    for path in [*frames(night).values(), *pieces(night).values()]:
        found = fits.getval(path, "SPEXPROG") if path.exists() else "missing"
        if found != program:
            sys.exit(f"desispec-check: {path}: {found} (expected a frame of {program})")
