"""What a section of the report is made of: pictures, or what is missing for them."""

from dataclasses import dataclass

from matplotlib.figure import Figure

from spexreports.published import MILESTONES
from spexreports.result import Result
from spexreports.work import has_fpnh, method, of_whole_frame, own_method, settings


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
    """Results that belong on the ladder, in its order: of whole frames, and no point of a sweep.

    Long runs are not of an exposure, and the flux of the whole frame is other work than the rungs';
    both have sections of their own.
    """
    order = {milestone: i for i, milestone in enumerate(MILESTONES)}
    chosen = [
        r
        for r in results
        if r.scaling is None and has_fpnh(r) and r.tier != "night" and not of_whole_frame(r)
    ]
    return sorted(chosen, key=lambda r: (order[r.milestone], r.system, r.entry))


def in_sweep(results: list[Result], *kinds: str) -> list[Result]:
    """Results with a speed that are points of sweeps of these kinds; none of tier ci."""
    return [
        r
        for r in results
        if r.scaling and r.scaling.kind in kinds and r.extraction and r.tier != "ci"
    ]


def by_group(results: list[Result], key) -> dict:
    """Lists of results by `key(result)`, in the order of first appearance."""
    groups = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return groups


def lines_of(results: list[Result], key, x_of) -> dict:
    """Groups with two values of x or more, each x once."""
    groups = {}
    for name, points in by_group(results, key).items():
        by_x = {x_of(p): p for p in points}
        if len(by_x) > 1:
            groups[name] = list(by_x.values())
    return groups


def told_apart(results: list[Result], label: str, result: Result) -> str:
    """The label, with a method that is not the milestone's, and what differs among the results."""
    parts, kinds = [label], {r.scaling.kind for r in results if r.scaling}
    looks = [lambda r: r.system]
    # What a sweep changes tells its points apart, not its lines.
    if "compression" not in kinds:
        looks.append(lambda r: r.case)
    if not kinds & {"nwavestep", "nsubbundles", "strong", "weak"}:
        looks.append(settings)
    parts += [look(result) for look in looks if len({look(r) for r in results}) > 1]
    if not own_method(result):
        parts.append(f"by {method(result)}")
    return ", ".join(parts)


def with_system(results: list[Result], label: str, result: Result) -> str:
    """The label, with the system where the results are of more than one."""
    return f"{label}, {result.system}" if len({r.system for r in results}) > 1 else label


def systems(results: list[Result]) -> str:
    """Names of the systems, for titles and captions."""
    return ", ".join(dict.fromkeys(r.system for r in results))
