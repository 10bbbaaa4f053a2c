"""Reads ENTRY.series.json: what a long run's machine was like (docs/results.md)."""

from pathlib import Path
from typing import Any

from spexreports.errors import DataError
from spexreports.results.read import read_json

SERIES = ("spexbench-series", 1)
EXPECTED = "a series of spex-bench"


def read_series(file: Path) -> dict[str, Any]:
    """The file's members, whose lists are as long as its times; throws DataError."""
    try:
        data = read_json(file)
        if (data["schema"]["name"], data["schema"]["major"]) != SERIES:
            raise DataError(file, f"is of another schema: {data['schema']}", EXPECTED)
        looks = len(data["seconds"])
        lists = [data["frames"], data["cpu_busy"], data["cpu_mhz"]]
        lists += [data["node"][key] for key in ("energy_j", "power_w")]
        for gpu in data["gpus"]:
            keys = ("temperature_c", "clock_sm_mhz", "power_w", "energy_j", "busy")
            lists += [gpu[key] for key in keys]
        if any(len(one) != looks for one in lists):
            raise DataError(file, "has lists of other lengths than its times", EXPECTED)
    except (KeyError, TypeError) as error:
        raise DataError(file, f"is broken: {error}", EXPECTED) from error
    return data
