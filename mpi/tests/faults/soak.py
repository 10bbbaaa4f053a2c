"""Thousands of frames in one process: memory and descriptors must not grow, bytes must be equal."""

import os
import shutil
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from exposure import CAMERAS, MPI, OPTIONS, Exposure

MOST_BYTES_A_FRAME = 2048  # the run log's events and outcomes stay in memory until the end


@dataclass
class Soak:
    """The resources of a process over many frames."""

    schedule: str
    frames: int
    seconds: float = 0
    first_mb: float = 0  # resident memory after a tenth of the frames
    last_mb: float = 0  # resident memory in the last tenth
    bytes_a_frame: float = 0
    first_files: int = 0  # open descriptors, as first_mb
    last_files: int = 0
    wrong: int = 0  # frames that are missing or have other bytes
    problems: list[str] = field(default_factory=list)
    skipped: str = ""
    test: str = ""  # pytest's test id

    @property
    def ok(self) -> bool:
        """Whether there were no problems."""
        return not self.problems


def look(pid: int) -> tuple[float, int]:
    """Resident bytes and open descriptors of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(list(Path(f"/proc/{pid}/fd").iterdir()))


def soak(exposure: Exposure, schedule: str, frames: int) -> Soak:
    """Extracts `frames` frames of the four cameras in turn by one process of spex-cpu."""
    result = Soak(schedule, frames)
    out = exposure.folder / "soak"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    cameras = [CAMERAS[k % len(CAMERAS)] for k in range(frames)]
    listed = exposure.folder / "soak-list"
    listed.write_text(
        "".join(
            f"{c} {exposure.input(c)} {exposure.input(c, 'psf')} {out / f'{k}.fits'}\n"
            for k, c in enumerate(cameras)
        )
    )
    command = [exposure.binaries / "bin/spex-cpu", "--list", listed, *OPTIONS]
    start = time.monotonic()
    child = subprocess.Popen(
        [str(c) for c in [*command, "--schedule", schedule]],
        env=os.environ | MPI,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    samples = []  # frames done, resident bytes, descriptors
    done = 0
    while child.poll() is None:
        while done < frames and (out / f"{done}.fits").exists():
            done += 1
        try:
            samples.append((done, *look(child.pid)))
        except OSError:
            break  # the process has ended
        time.sleep(0.1)
    error = child.communicate()[1]
    result.seconds = time.monotonic() - start
    for k, camera in enumerate(cameras):
        path = out / f"{k}.fits"
        if not path.exists() or path.read_bytes() != exposure.expected[camera]:
            result.wrong += 1
    shutil.rmtree(out)
    problems = result.problems
    if child.returncode != 0:
        problems.append(f"status {child.returncode}: {error.strip()[-200:]}")
    if result.wrong:
        problems.append(f"{result.wrong} frames are missing or have other bytes")
    early = [s for s in samples if 0.1 * frames <= s[0] < 0.2 * frames]
    late = [s for s in samples if 0.9 * frames <= s[0] < frames]
    if early and late:
        memory = [statistics.median(s[1] for s in part) for part in (early, late)]
        result.first_mb, result.last_mb = (m / 1e6 for m in memory)
        result.bytes_a_frame = (memory[1] - memory[0]) / (0.8 * frames)
        result.first_files, result.last_files = (max(s[2] for s in part) for part in (early, late))
        if result.bytes_a_frame > MOST_BYTES_A_FRAME:
            problems.append(f"{result.bytes_a_frame:.0f} bytes more with each frame")
        if result.last_files > result.first_files:
            problems.append(f"{result.first_files} open files, later {result.last_files}")
    else:
        problems.append("too few frames to see whether memory grows")
    return result
