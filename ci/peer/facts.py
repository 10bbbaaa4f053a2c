"""The machine, the programs and their versions, and what of ci/peer-bench cannot run here."""

import json
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import plan

NEEDED = ("numpy", "scipy", "astropy", "numba")
QUERY = "name,uuid,memory.total,driver_version,power.limit,clocks.max.sm,ecc.mode.current"


def output_of(*command: object) -> str:
    """What a command prints; empty where it cannot be run or fails."""
    words = [str(word) for word in command]
    if shutil.which(words[0]) is None:
        return ""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def gpu() -> dict | None:
    """The GPU of the runs: the first visible one; None where there is none."""
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    command = ["nvidia-smi", f"--id={first}", f"--query-gpu={QUERY}", "--format=csv,noheader"]
    values = output_of(*command).split(", ")
    names = QUERY.split(",")
    return dict(zip(names, values, strict=True)) if len(values) == len(names) else None


def cpu() -> str:
    """The model of the CPU."""
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def machine() -> dict:
    """The machine."""
    return {
        "cpu": cpu(),
        "cpus": len(os.sched_getaffinity(0)),
        "gpu": gpu(),
        "kernel": platform.release(),
        "mpi": (output_of("mpirun", "--version").splitlines() or [None])[0],
    }


def commit_of(checkout: Path) -> dict:
    """Commit of a checkout, and whether its files were changed; null where it is a copy."""
    top = output_of("git", "-C", checkout, "rev-parse", "--show-toplevel")
    if not top or Path(top).resolve() != checkout.resolve():
        return {"commit": None, "changed": None}
    status = output_of("git", "-C", checkout, "status", "--porcelain", "--untracked-files=no")
    return {
        "commit": output_of("git", "-C", checkout, "rev-parse", "HEAD"),
        "changed": bool(status),
    }


def missing(programs: list[plan.Program], bin_folder: Path, versions: dict) -> dict[str, str]:
    """Programs that cannot run here, and why, in a line."""
    why: dict[str, str] = {}
    gpu_here = gpu() is not None
    for program in programs:
        reason = ""
        if program.device == "gpu" and not gpu_here:
            reason = "there is no GPU here (expected nvidia-smi to name one)"
        elif program.is_peer and program.device == "gpu" and not versions["cupy"]:
            reason = "this Python has no CuPy (expected cupy-cuda12x or the like; --python)"
        elif program.is_peer and program.device == "gpu" and not versions["cuda"]:
            reason = "CuPy finds no CUDA (expected the runtime that its package is for)"
        elif program.ranks > 1 and not versions["mpi4py"]:
            reason = "this Python has no mpi4py (--python names another)"
        elif program.ranks > 1 and shutil.which("mpirun") is None:
            reason = "there is no mpirun (expected that of mpi4py's MPI)"
        elif program.ranks > 1 and shutil.which("nvidia-cuda-mps-control") is None:
            reason = "there is no nvidia-cuda-mps-control (expected the driver's MPS)"
        elif not program.is_peer and program.device == "gpu":
            found = bin_folder / "spex-gpu"
            reason = "" if found.is_file() else f"there is no {found} (expected a build with CUDA)"
        if reason:
            why[f"{program.device}: {program.name}"] = reason
    return why


def python_path(checkout: Path) -> str:
    """PYTHONPATH with gpu_specter before what is there."""
    return os.pathsep.join(filter(None, (str(checkout / "py"), os.environ.get("PYTHONPATH"))))


def versions_of(python: Path, checkout: Path) -> dict:
    """Versions of the packages of gpu_specter's Python (inside.py)."""
    command = [python, Path(__file__).with_name("inside.py"), "versions"]
    environment = os.environ | {"PYTHONPATH": python_path(checkout)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])
