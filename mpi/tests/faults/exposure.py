"""A small simulated exposure, and runs with faults."""

import os
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

CAMERAS = ("b0", "b1", "b2", "b3")
DISTURBED = "b1"  # the camera of the frame with the fault
EXPID = "00000001"
# A frame of five patches, 50 ms.
OPTIONS = ["-w", "3600,3608,0.8", "--nwavestep", "11", "--wavepad", "2", "--threads", "1"]
OPTIONS += ["--loglevel", "error"]
# Variables that allow mpirun to start more ranks than cores, as any user.
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    # Open MPI 5 has another launcher.
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
MARK = "SPEX_FAULT_CHECK_RUN"  # a variable of all processes of a run


@dataclass
class Ended:
    """The result of a run."""

    status: int  # exit status; 128 + signal number if a signal ended the run
    seconds: float
    text: str  # stdout and stderr
    in_time: bool = True
    left: list[int] = field(default_factory=list)  # remaining processes, which were killed


def processes(mark: str) -> list[int]:
    """The running processes of the run `mark`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            meant = f"{MARK}={mark}".encode() in (folder / "environ").read_bytes()
            if meant and (folder / "stat").read_text().rsplit(") ", 1)[1][0] != "Z":
                found.append(int(folder.name))
        except OSError:
            continue  # the process has ended, or belongs to another user
    return found


class Exposure:
    """Inputs of four cameras, and their frames from a run without faults."""

    def __init__(self, folder: Path, binaries: Path, deadline: float):
        """Simulates and extracts into `folder` by the build in `binaries`; s for each run."""
        self.folder = folder
        self.binaries = binaries
        self.deadline = deadline
        self.night = folder / "night"
        self.out = folder / "out"
        self.log = folder / "fired"
        self.program = binaries / "tests/spex-cpu-with-faults"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        names = ",".join(CAMERAS)
        sim = ["-o", self.night, "--size", "tiny", "--cameras", names, "--on-grid"]
        self.must([binaries / "bin/spex-sim", *sim])
        self.list = folder / "list"
        self.list.write_text(
            "".join(
                f"{c} {self.input(c)} {self.input(c, 'psf')} {self.output(c)}\n" for c in CAMERAS
            )
        )
        self.clear()
        self.must([binaries / "bin/spex-cpu", "--list", self.list, *OPTIONS])
        self.expected = {c: self.output(c).read_bytes() for c in CAMERAS}

    def input(self, camera: str, kind: str = "preproc") -> Path:
        """A file of the exposure."""
        return self.night / f"{kind}-{camera}-{EXPID}.fits"

    def output(self, camera: str) -> Path:
        """The frame of a camera."""
        return self.out / f"frame-{camera}-{EXPID}.fits"

    def must(self, command: list) -> None:
        """Runs a command that must succeed."""
        ended = self.run(command)
        if ended.status != 0:
            raise RuntimeError(f"{command}: status {ended.status}: {ended.text}")

    def clear(self) -> None:
        """Empties the output folder."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        self.log.unlink(missing_ok=True)

    def run(
        self, command: list, meanwhile: Callable[[str], None] | None = None, **extra: str
    ) -> Ended:
        """Runs a command; `meanwhile(mark)` is called while it runs. Leaves no process behind."""
        mark = uuid.uuid4().hex
        start = time.monotonic()
        child = subprocess.Popen(
            [str(c) for c in command],
            env=os.environ | MPI | extra | {MARK: mark},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        if meanwhile:
            meanwhile(mark)
        in_time = True
        try:
            text, _ = child.communicate(timeout=self.deadline)
        except subprocess.TimeoutExpired:
            in_time = False
            for pid in processes(mark):
                os.kill(pid, signal.SIGKILL)
            text, _ = child.communicate()
        seconds = time.monotonic() - start
        # Killed processes may take a moment to disappear.
        for _ in range(20):
            left = processes(mark)
            if not left:
                break
            time.sleep(0.1)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        status = child.returncode if child.returncode >= 0 else 128 - child.returncode
        return Ended(status, seconds, text, in_time, left)

    def fired(self) -> list[str]:
        """One line per fault that the preloaded library caused."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    def frames(self) -> dict[str, str]:
        """The state of each existing frame by camera: `right`, or `wrong` if its bytes differ."""
        found = {}
        for camera in CAMERAS:
            if self.output(camera).exists():
                same = self.output(camera).read_bytes() == self.expected[camera]
                found[camera] = "right" if same else "wrong"
        return found

    def others(self) -> list[str]:
        """Files other than frames."""
        names = {self.output(c).name for c in CAMERAS}
        return sorted(p.name for p in self.out.iterdir() if p.name not in names)
