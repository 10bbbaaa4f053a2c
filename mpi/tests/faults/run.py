"""One fault in one schedule: its loss, and whether a second run completes the rest."""

import re
from dataclasses import dataclass, field

from exposure import DISTURBED, Ended, Exposure
from schedules import Schedule

NOTHING = "nothing"
FRAME = "frame"  # only the disturbed frame is lost
RUN = "run"  # the run ends; complete frames stay
ORDER = (NOTHING, FRAME, RUN)


@dataclass
class Case:
    """A fault in a schedule, tested by one run or a sweep."""

    fault: str
    where: str
    schedule: Schedule
    environment: dict[str, str]
    loses: tuple[str, ...]  # acceptable losses
    says: str = ""  # pattern of an expected line; empty if no process is left to report
    status: tuple[int, ...] = (1,)
    sweep: bool = False  # increase {n} in the environment until there is no such call
    values: tuple[int, ...] = ()  # values of {n} instead
    prefix: tuple[str, ...] = ()  # before the program
    options: tuple[str, ...] = ()
    quick: bool = False  # one of the few that run in every test


@dataclass
class Row:
    """The result of a case."""

    fault: str
    where: str
    schedule: str
    runs: int = 0
    lost: str = ""  # the largest loss of its runs
    line: str = ""
    seconds: float = 0  # duration of the longest run
    problems: list[str] = field(default_factory=list)
    skipped: str = ""  # reason for skipping
    test: str = ""  # pytest's test id

    @property
    def ok(self) -> bool:
        """Whether there were no problems."""
        return not self.problems


def completes(exposure: Exposure, command: list, cameras: tuple[str, ...]) -> list[str]:
    """Runs the command that completes the frames; returns problems."""
    again = exposure.run(command)
    problems = []
    if again.status != 0:
        problems.append(f"the run that completes it: status {again.status}: {again.text[-300:]!r}")
    frames = exposure.frames()
    if frames != dict.fromkeys(cameras, "right"):
        problems.append(f"completed, the frames are {frames}")
    if exposure.others():
        problems.append(f"completed, files are left: {exposure.others()}")
    return problems


def judge(exposure: Exposure, case: Case, ended: Ended, row: Row) -> list[str]:
    """Records the loss of a run; returns problems."""
    problems = []
    if not ended.in_time:
        problems.append(f"did not end within {exposure.deadline:.0f} s")
    if ended.left:
        problems.append(f"{len(ended.left)} process(es) left")
    frames = exposure.frames()
    wanted = set(case.schedule.cameras)
    problems += [f"frame {c} has other bytes" for c, state in frames.items() if state == "wrong"]
    problems += [f"frame {c} was not asked for" for c in set(frames) - wanted]
    missing = wanted - set(frames)
    if not missing and ended.status == 0:
        lost = NOTHING
    else:
        lost = FRAME if missing <= {DISTURBED} and ended.status == 1 else RUN
    row.lost = max(row.lost or NOTHING, lost, key=ORDER.index)
    end = f"status {ended.status}: {ended.text.strip()[-300:]!r}"
    if lost not in case.loses:
        problems.append(f"loses {lost} (at most {case.loses[-1]}), {end}")
    if lost == NOTHING:
        return problems
    if ended.status not in case.status:
        problems.append(f"not status {' or '.join(str(s) for s in case.status)}, but {end}")
    if case.says:
        lines = [line for line in ended.text.splitlines() if re.search(case.says, line)]
        if lines:
            row.line = lines[0].strip()
        else:
            problems.append(f"no line matches '{case.says}', {end}")
    if RUN not in case.loses and exposure.others():
        problems.append(f"files are left: {exposure.others()}")
    return problems


def disturb(exposure: Exposure, case: Case, number: int, row: Row) -> bool:
    """A run with a fault, and a run that completes it; returns whether the fault occurred."""
    extra = {name: value.format(n=number) for name, value in case.environment.items()}
    preloads = "SPEX_IO_FAULT" in extra
    if preloads:
        extra["LD_PRELOAD"] = str(exposure.binaries / "tests/libspex_io_faults.so")
        extra["SPEX_IO_LOG"] = str(exposure.log)
    exposure.clear()
    prefix = [word.format(n=number) for word in case.prefix]
    ended = exposure.run(case.schedule.command(exposure, *case.options, prefix=prefix), **extra)
    met = not preloads or bool(exposure.fired())
    if not met:
        case = Case(case.fault, case.where, case.schedule, {}, (NOTHING,))
    problems = judge(exposure, case, ended, row)
    if met:
        row.runs += 1
        row.seconds = max(row.seconds, ended.seconds)
        command = case.schedule.resume(exposure)
        problems += completes(exposure, command, case.schedule.cameras)
    swept = case.sweep or case.values
    row.problems += [f"n = {number}: {p}" if swept else p for p in problems]
    return met


def check(exposure: Exposure, case: Case, most: int = 2000) -> Row:
    """Runs a case."""
    row = Row(case.fault, case.where, case.schedule.name)
    if case.values:
        for number in case.values:
            disturb(exposure, case, number, row)
    else:
        number = 1
        while disturb(exposure, case, number, row) and case.sweep and number < most:
            number += 1
    if row.runs == 0:
        row.problems.append("the fault did not occur")
    return row


def skipped(case: Case, reason: str) -> Row:
    """The row of a case that cannot run here."""
    return Row(case.fault, case.where, case.schedule.name, skipped=reason)
