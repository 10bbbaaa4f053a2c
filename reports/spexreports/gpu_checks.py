"""What ci/gpu-check left (gpu-check.json): what it found, and seconds of the kernels of a frame."""

import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from spexreports.errors import DataError
from spexreports.result_files import read_json
from spexreports.section import by_group

STEP = "speed"
CHECK = re.compile(r"([a-z-]+), kernels of (?:b, r, z|r)(?: at |, )?(.*)")
SECONDS = re.compile(r"([\d.]+) s a frame: (.*)")
COMMIT = re.compile(r"commit ([0-9a-f]{7})")
EXPECTED = "gpu-check.json of ci/gpu-check"
ELSEWHERE = 0.03  # a row is shown where its seconds are another part than this from the row above


@dataclass(frozen=True)
class KernelSeconds:
    """A row of the step `speed`."""

    what: str  # milestone and settings
    commit: str
    seconds: float  # of a frame
    stages: dict[str, float]


@dataclass(frozen=True)
class GpuCheck:
    """A file."""

    commit: str
    utc: datetime
    gpus: tuple[str, ...]  # their models
    checks: int
    failed: tuple[str, ...]
    kernels: tuple[KernelSeconds, ...]


def _kernels(path: Path, check: dict, commit: str) -> KernelSeconds | None:
    named = CHECK.fullmatch(check["check"])
    if check["step"] != STEP or not named or not check["ok"]:
        return None
    found = SECONDS.fullmatch(check["detail"])
    if not found:
        raise DataError(path, f"{check['check']}: {check['detail'][:60]}", "seconds by stage")
    stages = dict(part.rsplit(" ", 1) for part in found[2].split(", "))
    what = f"{named[1]}, {named[2]}" if named[2] else named[1]
    seconds = {name: float(value) for name, value in stages.items()}
    return KernelSeconds(what, commit, float(found[1]), seconds)


def _gpu_check(path: Path) -> GpuCheck | None:
    data = read_json(path)
    try:
        system, checks = data["system"], data["checks"]
        named = COMMIT.search(system["build"][0])
        if not named:
            print(f"spexreports: {path}: left out: it names no commit", file=sys.stderr)
            return None
        kernels = [_kernels(path, check, named[1]) for check in checks]
        return GpuCheck(
            commit=named[1],
            utc=datetime.strptime(system["utc"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC),
            gpus=tuple(line.split(",")[0] for line in system["gpus"][1:]),
            checks=len(checks),
            failed=tuple(check["check"] for check in checks if not check["ok"]),
            kernels=tuple(filter(None, kernels)),
        )
    except DataError:
        raise
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise DataError(path, f"is none of its kind: {error}", EXPECTED) from error


def read_checks(paths: list[Path]) -> list[GpuCheck]:
    """The files by time; one whose build names no commit is named, and left out."""
    return sorted(filter(None, map(_gpu_check, paths)), key=lambda check: check.utc)


def telling(checks: list[GpuCheck]) -> list[KernelSeconds]:
    """Of each setting the first row, those that are faster or slower than the last, the newest."""
    shown = []
    rows = [row for check in checks for row in check.kernels]
    for group in by_group(rows, lambda row: row.what).values():
        kept = [group[0]]
        for row in group[1:]:
            if abs(row.seconds / kept[-1].seconds - 1) > ELSEWHERE or row is group[-1]:
                kept.append(row)
        shown += kept
    return shown
