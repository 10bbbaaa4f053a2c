"""Reads run logs (docs/results.md), and divides their wall time into parts."""

import itertools
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from spexreports.errors import DataError, contents_of
from spexreports.results.read import read_json
from spexreports.results.result import Result

EVENT = ("rank", "frame", "stage", "start", "end")  # members that are read
STAGES = ("start", "read", "extract", "gather", "write")
# Parts of the wall time in order. A moment of the extraction belongs to the first part in COVERED
# that is in progress in any rank.
WALL = ("launch", "GPU start", "read", "compute", "write", "wait", "exit")
COVERED = (("compute", ("extract",)), ("GPU start", ("start",)), ("read", ("read",)))
COVERED += (("write", ("gather", "write")),)


@dataclass(frozen=True)
class Event:
    """A span of a rank's time, seconds from the start of the extraction clock."""

    rank: int
    frame: int | None
    stage: str
    start: float
    end: float


@cache
def read_events(path: Path) -> list[Event]:
    """Reads the events of a run log; throws DataError."""
    data = read_json(path)
    with contents_of(path, "a run log, by docs/results.md"):
        events = [Event(**{name: event[name] for name in EVENT}) for event in data["events"]]
        for place, event in enumerate(events):
            if event.stage not in STAGES:
                raise DataError(path, f"event {place} has the stage {event.stage}", str(STAGES))
            if event.end < event.start:
                raise DataError(path, f"event {place} ends before it starts", "end after start")
    return events


def wall_parts(result: Result) -> dict[str, float] | None:
    """Seconds of the last timed run by the parts of WALL, from launch to exit.

    None without a run log, or if the sample does not have the end of the launch.
    """
    file, timed = result.beside("events"), result.timed
    if not file.exists() or not timed or None in (timed[-1]["launch_s"], timed[-1]["extraction_s"]):
        return None
    events, last = read_events(file), timed[-1]
    if not events:
        return None
    parts = dict.fromkeys(WALL, 0.0)
    end = last["extraction_s"]
    edges = sorted({0.0, end, *(e for v in events for e in (v.start, v.end) if e < end)})
    for left, right in itertools.pairwise(edges):
        middle = (left + right) / 2
        active = {e.stage for e in events if e.start <= middle < e.end}
        names = [name for name, stages in COVERED if active & set(stages)]
        parts[names[0] if names else "wait"] += right - left
    parts["launch"] = last["launch_s"]
    parts["exit"] = max(last["effective_s"] - last["launch_s"] - end, 0.0)
    return parts
