"""The extraction of desi_proc by spex-gpu or spex-cpu: one run for all cameras, from one rank.

desi_proc.patch has desi_proc call `extract` on its rank 0; docs/desi-proc.md says how. The
environment says by what:

SPEX_BIN      folder of spex-gpu and spex-cpu; without it, desi_proc extracts itself
SPEX_OPTIONS  further options of the run, such as "--iers FILE --threads 32"
SPEX_GPUS     what CUDA_VISIBLE_DEVICES is to be in the run; that of desi_proc where not set
SPEX_CPUS     CPUs that the run may use, as "0-31,64"; those of this rank where not set
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# The wavelength grids of desi_proc, which are also the programs' defaults.
GRIDS = {
    "b": (3600.0, 5800.0, 0.8),
    "r": (5760.0, 7620.0, 0.8),
    "z": (7520.0, 9824.0, 0.8),
}
PSFERR = {"b": 0.04, "r": 0.01, "z": 0.01}
# Variables that would make a program believe that it is a rank of this MPI job.
OF_LAUNCHERS = ("PMI", "PMIX", "PALS_", "SLURM_", "OMPI_", "PRTE_", "MPIR_", "HYDRA_", "HYDI_")


def _split(camera: str, command: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The files and the non-default options of one desi_extract_spectra command."""
    files, options = {}, []
    words = iter(shlex.split(command)[1:])
    for word in words:
        if word in ("-i", "-p", "-o"):
            files[word] = next(words)
        elif word == "-w":
            grid = next(words)
            if tuple(float(x) for x in grid.split(",")) != GRIDS[camera[0]]:
                options += [word, grid]
        elif word == "--psferr":
            psferr = next(words)
            if float(psferr) != PSFERR[camera[0]]:
                options += [word, psferr]
        else:
            options.append(word)
    return files, tuple(options)


def _environment() -> dict[str, str]:
    """The environment of the run: without variables of this MPI job, and with the run's GPUs."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(OF_LAUNCHERS)}
    if "SPEX_GPUS" in os.environ:
        environment["CUDA_VISIBLE_DEVICES"] = os.environ["SPEX_GPUS"]
    return environment


def _bind() -> None:
    """Binds this process to the CPUs of SPEX_CPUS."""
    if text := os.environ.get("SPEX_CPUS"):
        cpus = set()
        for part in text.split(","):
            first, _, last = part.partition("-")
            cpus.update(range(int(first), int(last or first) + 1))
        os.sched_setaffinity(0, cpus)


def extract(commands: dict[str, str]) -> int:
    """Runs the extractions that desi_proc has noted, a line of desi_extract_spectra a camera.

    Takes those that it ran off `commands`, with or without success; others (--use-specter) stay,
    for desi_proc to run. Returns how many frames are not there afterwards.
    """
    runs: dict[tuple[str, ...], dict[str, dict[str, str]]] = {}
    for camera, command in commands.items():
        files, options = _split(camera, command)
        if "--use-specter" not in options:
            runs.setdefault(options, {})[camera] = files
    errors = 0
    for options, frames in runs.items():
        program = Path(os.environ["SPEX_BIN"]) / (
            "spex-cpu" if "--no-gpu" in options else "spex-gpu"
        )
        with tempfile.NamedTemporaryFile("w", suffix=".list") as listed:
            for camera, files in frames.items():
                listed.write(f"{camera} {files['-i']} {files['-p']} {files['-o']}\n")
            listed.flush()
            command = [program, "--list", listed.name, "--psferr-by-arm", "--skip-missing"]
            command += [*options, *shlex.split(os.environ.get("SPEX_OPTIONS", ""))]
            print("RUNNING:", shlex.join(map(str, command)), flush=True)
            status = subprocess.run(
                command, env=_environment(), preexec_fn=_bind, check=False
            ).returncode
        print(f"{program.name} ended with status {status}", flush=True)
        for camera, files in frames.items():
            del commands[camera]
            if not Path(files["-o"]).exists():
                print(f"ERROR: {camera}: no {files['-o']}", file=sys.stderr, flush=True)
                errors += 1
    return errors
