"""Marks beside speeds, and what they say."""

from spexreports.result import Result
from spexreports.work import (
    PRODUCTION,
    compression,
    method,
    own_method,
    settings,
    why_incomplete,
)

SCALED = "*"
INCOMPLETE = "†"
OTHER_WORK = "‡"
OTHER_METHOD = "§"


def marks(result: Result) -> dict[str, str]:
    """The marks of a result, each with what it says of this one."""
    found = {}
    reasons = why_incomplete(result)
    if reasons:
        found[INCOMPLETE] = f"not complete: {', '.join(reasons)}"
    other = [settings(result)] if settings(result) != PRODUCTION else []
    other += [f"inputs in {compression(result)}"] if compression(result) else []
    if other:
        found[OTHER_WORK] = f"other work: {', '.join(other)}"
    if not own_method(result):
        found[OTHER_METHOD] = f"by the method {method(result)}, which is not the milestone's own"
    return found


def symbols(result: Result) -> str:
    """The marks alone, with that of fewer frames."""
    return (SCALED if result.scaled_to else "") + "".join(marks(result))


def explained(results: list[Result]) -> list[str]:
    """A line for each mark that one of the results has."""
    general = {
        SCALED: f"{SCALED} fewer frames were run, and stand for the exposure.",
        INCOMPLETE: f"{INCOMPLETE} not complete: fewer frames or runs than the run rules "
        "ask for, or built from sources with changes; the table says which.",
        OTHER_WORK: f"{OTHER_WORK} other settings than production's, or compressed inputs: the "
        "table says which.",
        OTHER_METHOD: f"{OTHER_METHOD} by a method that is not the milestone's own.",
    }
    present = {mark for result in results for mark in symbols(result)}
    return [text for mark, text in general.items() if mark in present]
