"""What a section of the report is made of: pictures, or what is missing for them."""

from dataclasses import dataclass

from matplotlib.figure import Figure

from spexreports.published import MILESTONES
from spexreports.result_files import Result


@dataclass
class Picture:
    """A figure of the page."""

    name: str  # of its file, without .png
    figure: Figure
    caption: str


@dataclass(frozen=True)
class Missing:
    """Why there is no figure: what was not given."""

    what: str


def newest(results: list[Result]) -> list[Result]:
    """Of each entry on each system, the last run; in the order that they are given in."""
    last = {}
    for result in results:
        key = result.entry, result.case, result.system
        if key not in last or result.start >= last[key].start:
            last[key] = result
    kept = {id(result) for result in last.values()}
    return [result for result in results if id(result) in kept]


def rungs(results: list[Result]) -> list[Result]:
    """Results that are no point of a sweep, in the ladder's order."""
    order = {milestone: i for i, milestone in enumerate(MILESTONES)}
    chosen = [r for r in results if r.scaling is None]
    return sorted(chosen, key=lambda r: (order[r.milestone], r.system, r.entry))


def in_sweep(results: list[Result], *kinds: str) -> list[Result]:
    """Results with a speed that are points of sweeps of these kinds."""
    return [r for r in results if r.scaling and r.scaling.kind in kinds and r.extraction]


def by_group(results: list[Result], key) -> dict:
    """Lists of results by `key(result)`, in the order of first appearance."""
    groups = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return groups


def with_system(results: list[Result], label: str, result: Result) -> str:
    """The label, with the system where the results are of more than one."""
    return f"{label}, {result.system}" if len({r.system for r in results}) > 1 else label


def systems(results: list[Result]) -> str:
    """Names of the systems, for titles and captions."""
    return ", ".join(dict.fromkeys(r.system for r in results))
