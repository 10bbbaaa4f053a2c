"""Faults that need more than a variable: mounts, a Slurm of two nodes, a GPU."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import schedules
from exposure import DISTURBED, OPTIONS, Exposure, processes
from run import FRAME, NOTHING, RUN, Case, Row, completes, judge, skipped

ROOT = Path(__file__).resolve().parents[3]
LIST = next(s for s in schedules.ALL if s.name == "list")
PIPELINE = next(s for s in schedules.ALL if s.name == "pipeline")
FRAMES = next(s for s in schedules.ALL if s.name == "frames, 3 ranks each")


def state_of(pid: int) -> str:
    """The process state as in ps: T means stopped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0]
    except OSError:
        return ""


def variable(pid: int, name: str) -> str:
    """A variable of a process's environment."""
    try:
        words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return ""
    found = [w.partition(b"=")[2].decode() for w in words if w.startswith(name.encode() + b"=")]
    return found[0] if found else ""


def until(holds: Callable[[], bool], seconds: float) -> bool:
    """Waits for a condition."""
    for _ in range(int(seconds * 20)):
        if holds():
            return True
        time.sleep(0.05)
    return False


def stopped_alone(exposure: Exposure) -> Row:
    """A process that is stopped and continued, like a suspended job."""
    spec = f"extract:{DISTURBED}:0:stop"
    options = ("--stall-limit", "1")
    case = Case(
        "SIGSTOP, SIGCONT",
        "extract, for 3 s",
        LIST,
        {"SPEX_FAULT": spec},
        (NOTHING,),
        options=options,
    )
    row = Row(case.fault, case.where, LIST.name)

    def go_on(mark: str) -> None:
        stopped = [0]
        if until(lambda: bool(stopped_of(mark, stopped)), 20):
            time.sleep(3)
            os.kill(stopped[0], signal.SIGCONT)
            row.runs = 1

    exposure.clear()
    ended = exposure.run(LIST.command(exposure, *options), go_on, SPEX_FAULT=spec)
    row.seconds = ended.seconds
    row.problems = judge(exposure, case, ended, row)
    if row.runs == 0:
        row.problems.append("the fault did not occur")
    return row


def stopped_of(mark: str, found: list[int]) -> int:
    """Finds a stopped process of a run and stores it in `found`."""
    found[0] = next((pid for pid in processes(mark) if state_of(pid) == "T"), 0)
    return found[0]


def mounted(*command: object) -> str:
    """Mounts a file system; returns the reason of a failure or an empty string."""
    if shutil.which(str(command[0])) is None:
        return f"there is no {command[0]}"
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    lines = done.stderr.strip().splitlines()
    return "" if done.returncode == 0 else f"cannot mount: {lines[-1] if lines else command[0]}"


def full_disk(exposure: Exposure) -> Row:
    """A disk with space for two frames, later for all."""
    case = Case(
        "disk full",
        "a real one, of two frames' size",
        LIST,
        {},
        (RUN,),
        r"frame b\d failed: .*cannot be written: No space left on device",
    )
    exposure.clear()
    kb = sum(map(len, exposure.expected.values())) // len(exposure.expected) * 5 // 2 // 1024
    if reason := mounted("mount", "-t", "tmpfs", "-o", f"size={kb}k", "spex", exposure.out):
        return skipped(case, reason)
    row = Row(case.fault, case.where, LIST.name, runs=1)
    try:
        ended = exposure.run(LIST.command(exposure))
        row.seconds = ended.seconds
        row.problems = judge(exposure, case, ended, row)
        if exposure.others():
            row.problems.append(f"files are left: {exposure.others()}")
        if "2 of 4 frame(s) failed" not in ended.text:
            row.problems.append(f"not two frames are lost: {ended.text[-300:]!r}")
        subprocess.run(["mount", "-o", "remount,size=16m", exposure.out], check=True)
        row.problems += completes(exposure, LIST.resume(exposure), LIST.cameras)
    finally:
        subprocess.run(["umount", "-l", exposure.out], check=True)
    return row


def hanging_file_system(exposure: Exposure) -> Row:
    """A FUSE file system whose server is stopped while frames are written."""
    options = ("--stall-limit", "3")
    case = Case(
        "a file system that hangs",
        "FUSE, as the first frame is there",
        PIPELINE,
        {},
        # All frames except the waiting one may exist before the file system is stopped.
        (FRAME, RUN),
        r"^spex-cpu: rank 0 has made no progress for 3 s, in ",
        options=options,
    )
    exposure.clear()
    behind = exposure.folder / "behind"
    shutil.rmtree(behind, ignore_errors=True)
    behind.mkdir()
    if reason := mounted("bindfs", behind, exposure.out):
        return skipped(case, reason)
    servers = [
        pid
        for pid in (int(p.name) for p in Path("/proc").glob("[0-9]*"))
        if str(behind) in command_line(pid) and "bindfs" in command_line(pid)
    ]
    row = Row(case.fault, case.where, PIPELINE.name, runs=1)

    def hang(_: str) -> None:
        until(lambda: any(behind.glob("frame-*")), 20)
        for pid in servers:
            os.kill(pid, signal.SIGSTOP)

    try:
        command = PIPELINE.command(exposure, *options)
        # The second frame waits, so that there is work left.
        ended = exposure.run(
            ["env", "LD_PRELOAD=", *command], hang, SPEX_FAULT=f"write:{DISTURBED}:0:wait"
        )
        for pid in servers:
            os.kill(pid, signal.SIGCONT)
        row.seconds = ended.seconds
        row.problems = judge(exposure, case, ended, row)
        row.problems += completes(exposure, PIPELINE.resume(exposure), PIPELINE.cameras)
    finally:
        for pid in servers:
            os.kill(pid, signal.SIGCONT)
        subprocess.run(["umount", "-l", exposure.out], check=True)
    return row


def command_line(pid: int) -> str:
    """The command line of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def vanishing_node(exposure: Exposure) -> Row:
    """One of two nodes loses its slurmd, step daemons and ranks at once."""
    case = Case(
        "a node vanishes",
        "extract, node 2 of 2, SlurmdTimeout 20 s",
        FRAMES,
        {},
        (FRAME, RUN),
        r"srun: .*([Nn]ode fail|task 1|launch failed|rror)",
        status=tuple(range(1, 256)),
    )
    slurm = ROOT / "ci/slurm-node"
    check = subprocess.run([slurm, "--check"], capture_output=True, text=True, check=False)
    if check.returncode != 0:
        return skipped(case, check.stderr.strip().splitlines()[-1])
    launcher = [slurm, "--nodes", "2", "srun", "--nodes=2", "--ntasks=2"]
    command = FRAMES.command(exposure)
    command = [*launcher, *command[command.index(exposure.program) :]]
    row = Row(case.fault, case.where, "frames, 2 nodes")

    def vanish(mark: str) -> None:
        stopped = [0]
        if not until(lambda: bool(stopped_of(mark, stopped)), 60):
            return
        node = variable(stopped[0], "SLURMD_NODENAME")
        steps = {int(Path(f"/proc/{stopped[0]}/stat").read_text().rsplit(") ", 1)[1].split()[1])}
        for pid in processes(mark):
            if re.search(rf"slurmd .*-N {node}( |$)", command_line(pid)):
                steps.add(pid)
        for pid in [*steps, stopped[0]]:
            os.kill(pid, signal.SIGKILL)
        row.runs = 1

    exposure.clear()
    # Slurm's default is 300 s.
    limit = {"SPEX_SLURM_CONF": "SlurmdTimeout=20"}
    spec = f"extract:{DISTURBED}:1:stop"
    ended = exposure.run(command, vanish, SPEX_FAULT=spec, **limit)
    row.seconds = ended.seconds
    row.problems = judge(exposure, case, ended, row)
    if row.runs == 0:
        row.problems.append("the fault did not occur")
    row.problems += completes(exposure, FRAMES.resume(exposure), FRAMES.cameras)
    return row


def device_memory(exposure: Exposure) -> Row:
    """A GPU on which MPS limits the program's memory."""
    # The first limit is too small to start; the larger limits may suffice.
    limits = ("100M", "600M", "1G", "2G")
    case = Case(
        "out of device memory",
        f"limits of {limits[0]} to {limits[-1]} by MPS",
        PIPELINE,
        {},
        (NOTHING, FRAME, RUN),
        r"^spex-gpu: .*memory",
    )
    program = exposure.binaries / "bin/spex-gpu"
    for reason, there in (
        ("spex-gpu was not built", program.exists()),
        ("there is no GPU", Path("/dev/nvidiactl").exists()),
        ("there is no MPS", shutil.which("nvidia-cuda-mps-control") is not None),
    ):
        if not there:
            return skipped(case, reason)
    row = Row(case.fault, case.where, "spex-gpu, pipeline")
    exposure.clear()
    files = ["--exposure", exposure.night, "--outdir", exposure.out]
    options = ["--milestone", "pipeline", *OPTIONS]
    command = [ROOT / "mpi/programs/mps-wrapper", program, *files, *options]
    exposure.must(command)
    # GPU frames differ in bytes from spex-cpu's.
    by_cpu = exposure.expected
    exposure.expected = {c: exposure.output(c).read_bytes() for c in LIST.cameras}
    try:
        for limit in limits:
            exposure.clear()
            ended = exposure.run(command, CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=f"0={limit}")
            row.runs += 1
            row.seconds = max(row.seconds, ended.seconds)
            problems = judge(exposure, case, ended, row)
            if limit == limits[0] and ended.status == 0:
                problems.append("the fault did not occur")
            problems += completes(exposure, [*command, "--skip-existing"], LIST.cameras)
            row.problems += [f"{limit}: {problem}" for problem in problems]
    finally:
        exposure.expected = by_cpu
    return row


def lost_gpu(exposure: Exposure) -> Row:
    """A kernel that breaks the context, by the test of the GPU's extractors."""
    case = Case("a GPU error", "extract", PIPELINE, {}, (NOTHING,))
    program = exposure.binaries / "tests/test_gpu_lost"
    if not program.exists():
        return skipped(case, "test_gpu_lost was not built")
    if not Path("/dev/nvidiactl").exists():
        return skipped(case, "there is no GPU")
    ended = exposure.run([program])
    row = Row(case.fault, case.where, "pipeline, 2 GPUs' extractors", runs=1, lost=NOTHING)
    row.seconds = ended.seconds
    if ended.status != 0:
        row.problems.append(f"test_gpu_lost: status {ended.status}: {ended.text[-300:]!r}")
    return row


ALL = (
    stopped_alone,
    full_disk,
    hanging_file_system,
    vanishing_node,
    device_memory,
    lost_gpu,
)
