"""Reads the run logs beside the results (docs/results.md)."""

from dataclasses import dataclass
from pathlib import Path

import jsonschema

from spexreports.errors import DataError
from spexreports.result_files import check_schema, read_json

NUMBER = {"type": "number", "minimum": 0}
INTEGER = {"type": ["integer", "null"], "minimum": -1}
# What the timeline needs of a run log.
VALIDATOR = jsonschema.Draft202012Validator(
    {
        "type": "object",
        "required": ["events"],
        "properties": {
            "events": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["rank", "frame", "camera", "stage", "start", "end"],
                    "properties": {
                        "rank": {"type": "integer", "minimum": 0},
                        "frame": INTEGER,
                        "camera": {"type": ["string", "null"]},
                        "stage": {"enum": ["start", "read", "extract", "gather", "write"]},
                        "start": NUMBER,
                        "end": NUMBER,
                    },
                },
            }
        },
    }
)


@dataclass(frozen=True)
class Event:
    """A span of a rank's time, seconds from the start of the extraction clock."""

    rank: int
    frame: int | None
    camera: str | None
    stage: str
    start: float
    end: float


def read_events(path: Path) -> list[Event]:
    """Reads the events of a run log."""
    data = read_json(path)
    check_schema(path, data, VALIDATOR, "a run log, by docs/results.md")
    names = ("rank", "frame", "camera", "stage", "start", "end")
    events = [Event(**{name: event[name] for name in names}) for event in data["events"]]
    for place, event in enumerate(events):
        if event.end < event.start:
            raise DataError(path, f"event {place} ends before it starts", "end at or after start")
    return events
