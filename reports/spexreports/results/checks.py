"""Reads the results of ci/gpu-check and ci/kernel-times: checks of a GPU machine, kernel times."""

import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from spexreports.errors import contents_of
from spexreports.results.read import read_json

KERNEL = ("what", "seconds", "stages")
COMMIT = re.compile(r"commit ([0-9a-f]{7})")


@dataclass(frozen=True)
class GpuCheck:
    """A file of ci/gpu-check."""

    commit: str
    utc: datetime
    gpus: tuple[str, ...]  # by model
    checks: int
    failed: tuple[str, ...]
    kernels: list[dict[str, Any]]  # of a frame, from the step `speed`


@dataclass(frozen=True)
class KernelTimes:
    """A file of ci/kernel-times: milliseconds of each kernel of a frame, by arm."""

    commit: str
    gpu: str
    date: str
    milestone: str
    kernels: tuple[tuple[str, dict[str, float]], ...]


def read_checks(paths: list[Path]) -> list[GpuCheck]:
    """Reads the files, newest first; prints and omits those without a commit."""
    found = []
    for path in paths:
        data = read_json(path)
        with contents_of(path, "gpu-check.json of ci/gpu-check"):
            system = data["system"]
            named = COMMIT.search(system["build"][0])
            if not named:
                print(f"spex-reports: {path}: omitted: it names no commit", file=sys.stderr)
                continue
            utc = datetime.strptime(system["utc"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
            gpus = tuple(line.split(",")[0] for line in system["gpus"][1:])
            failed = tuple(check["check"] for check in data["checks"] if not check["ok"])
            kernels = [{key: row[key] for key in KERNEL} for row in data["kernels"]]
            found.append(GpuCheck(named[1], utc, gpus, len(data["checks"]), failed, kernels))
    return sorted(found, key=lambda check: check.utc, reverse=True)


def read_kernel_times(paths: list[Path]) -> list[KernelTimes]:
    """Reads files of ci/kernel-times, also within those of ci/gpu-check; newest first."""
    found = []
    for path in paths:
        data = read_json(path)
        if "checks" in data:
            data = data.get("kernel_times")
        if not data:
            continue
        with contents_of(path, "a file of ci/kernel-times"):
            kernels = [
                (k["kernel"], {arm: float(k[arm]) for arm in "brz"}) for k in data["kernels"]
            ]
            head = (data[key] for key in ("commit", "gpu", "date", "milestone"))
            found.append(KernelTimes(*head, tuple(kernels)))
    return sorted(found, key=lambda times: times.date, reverse=True)
