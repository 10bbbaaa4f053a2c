"""The faults that each schedule is tested with, and their acceptable losses."""

from collections.abc import Iterator

import schedules
from exposure import DISTURBED
from run import FRAME, NOTHING, RUN, Case
from schedules import Schedule

KILLED = r"signal 9 \(Killed\)|KILLED"
FAILED = rf"frame {DISTURBED} failed: .*{{what}}"
INPUT = f"preproc-{DISTURBED}"
PSF = f"psf-{DISTURBED}"
OUTPUT = f"frame-{DISTURBED}"
STALL = ("--stall-limit", "3")
QUICK = (("disk full", "write"), ("write error", "rename"))


def message(schedule: Schedule, what: str) -> str:
    """The error pattern of a failed frame."""
    if schedule.one_frame:
        return rf"^spex-cpu: \S*-{DISTURBED}-\S*: .*{what}"
    return FAILED.format(what=what)


def io(call: str, number: str, action: str, path: str) -> dict[str, str]:
    """The variables for a fault in a call on files of `path`."""
    return {"SPEX_IO_FAULT": f"{call}:{number}:{action}", "SPEX_IO_PATH": path}


def writes() -> Iterator[Case]:
    """Writes to a full or broken disk."""
    kinds = (
        ("disk full", "write", "{n}+", "ENOSPC", "No space left on device"),
        ("quota", "write", "{n}+", "EDQUOT", "Disk quota exceeded"),
        ("write error", "write", "{n}", "EIO", "Input/output error"),
        ("write error", "fsync", "{n}", "EIO", "Input/output error"),
        ("write error", "close", "{n}", "EIO", "Input/output error"),
        ("write error", "open", "{n}", "EIO", "Input/output error"),
        ("write error", "rename", "{n}", "EIO", "Input/output error"),
        ("disk full", "fsync", "{n}", "ENOSPC", "No space left on device"),
        ("disk full", "rename", "{n}", "ENOSPC", "No space left on device"),
        ("no descriptor left", "open", "{n}", "EMFILE", "Too many open files"),
    )
    for schedule in schedules.ALL:
        for fault, call, number, error, text in kinds:
            yield Case(
                fault,
                f"any {call} of an output",
                schedule,
                io(call, number, error, OUTPUT),
                (FRAME,),
                message(schedule, rf"cannot be written: {text}"),
                sweep=True,
                quick=schedule.name == "pipeline" and (fault, call) in QUICK,
            )
        yield Case(
            "write cut short",
            "any write of an output",
            schedule,
            io("write", "{n}", "short", OUTPUT),
            (NOTHING,),
            sweep=True,
        )


def reads() -> Iterator[Case]:
    """Reads from a broken disk."""
    for schedule in schedules.ALL:
        swept = schedule.name in ("list", "pipeline")
        for path, kind in ((INPUT, "image"), (PSF, "PSF")):
            for call, once in (("read", "2"), ("open", "1")):  # a file is opened once
                number = "{n}" if swept else once
                yield Case(
                    "read error",
                    f"{'any' if swept else 'one'} {call} of an {kind}".replace("an P", "a P"),
                    schedule,
                    io(call, number, "EIO", path),
                    (FRAME, NOTHING) if swept else (FRAME,),
                    rf"^spex-cpu: \S*{path}\S*: "
                    if schedule.one_frame
                    else message(schedule, path),
                    sweep=swept,
                    quick=schedule.name == "list" and call == "read" and kind == "image",
                )


def ends_of_processes() -> Iterator[Case]:
    """SIGKILL to each rank at each phase."""
    for schedule in schedules.ALL:
        launched = schedule.ranks > 1
        common = {
            "loses": (RUN,),
            "says": KILLED if launched else "",
            "status": (137,),
        }
        for phase, ranks in schedule.who.items():
            for rank in ranks:
                spec = f"{phase}:{schedule.camera}:{rank}:kill"
                yield Case(
                    "kill -9", f"{phase}, rank {rank}", schedule, {"SPEX_FAULT": spec}, **common
                )
        for call, number in (("write", 1), ("fsync", 1), ("rename", 1)):
            yield Case(
                "kill -9",
                f"in {call} of an output",
                schedule,
                io(call, str(number), "kill", OUTPUT),
                **common,
                quick=schedule.name == "list" and call == "fsync",
            )
        yield Case(
            "kill -9", "in read of an image", schedule, io("read", "3", "kill", INPUT), **common
        )


def standstills() -> Iterator[Case]:
    """Stopped ranks, and file calls that hang."""
    for schedule in schedules.ALL:
        common = {"loses": (FRAME, RUN), "options": STALL}
        if schedule.ranks > 1:
            for phase, ranks in schedule.who.items():
                for rank in ranks:
                    yield Case(
                        "SIGSTOP",
                        f"{phase}, rank {rank}",
                        schedule,
                        {"SPEX_FAULT": f"{phase}:{schedule.camera}:{rank}:stop"},
                        says=rf"^spex-cpu: rank {rank} has not responded for 3 s",
                        **common,
                    )
        for call, path, phase in (
            ("read", INPUT, "read"),
            ("write", OUTPUT, "write"),
            ("fsync", OUTPUT, "write"),
            ("rename", OUTPUT, "write"),
        ):
            rank = schedule.who[phase][0]
            what = rf"{phase} of frame \S*{DISTURBED}"
            yield Case(
                "a file that hangs",
                f"{call} of an {'image' if path == INPUT else 'output'}",
                schedule,
                io(call, "1", "hang", path),
                says=rf"^spex-cpu: rank {rank} has made no progress for 3 s, in .*{what}",
                **common,
                quick=schedule.name == "pipeline" and call == "write",
            )


def too_little_memory() -> Iterator[Case]:
    """Limits of the address space from barely enough for MPI to enough for the run."""
    megabyte = 1 << 20
    for schedule in schedules.ALL:
        if schedule.ranks == 1:
            yield Case(
                "out of memory",
                "from 120 MB to 600 MB",
                schedule,
                {},
                (NOTHING, FRAME, RUN),
                r"memory|loading shared|allocate|temporarily unavailable|made no progress for 3 s",
                status=(1, 127),
                options=STALL,
                values=tuple(range(120 * megabyte, 600 * megabyte, 30 * megabyte)),
                prefix=("prlimit", "--as={n}", "--"),
            )


def all_cases() -> Iterator[Case]:
    """All cases in the order of the table."""
    yield from ends_of_processes()
    yield from standstills()
    yield from writes()
    yield from reads()
    yield from too_little_memory()
