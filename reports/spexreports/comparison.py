"""Is one result faster than another? The ratio of their medians, its interval, a verdict."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spexreports.errors import DataError, UsageError
from spexreports.result_files import Result, read_results

RESAMPLES = 10_000
SEED = 20101
LEAST_SAMPLES = 3
MARGIN = 0.02


@dataclass(frozen=True)
class Ratio:
    """Median of the first over median of the second, with its 95% interval."""

    ratio: float
    low: float | None  # None with fewer than three samples on a side
    high: float | None


@dataclass(frozen=True)
class Comparison:
    """B against A: a ratio above 1 says that B is so many times as fast."""

    a: Result
    b: Result
    clock: str
    speed: Ratio
    verdict: str


def bootstrap_ratio(top: tuple[float, ...], bottom: tuple[float, ...]) -> Ratio:
    """Median(top) / median(bottom); both resampled, each apart, with a fixed seed."""
    ratio = float(np.median(top) / np.median(bottom))
    if min(len(top), len(bottom)) < LEAST_SAMPLES:
        return Ratio(ratio, None, None)
    random = np.random.default_rng(SEED)
    tops = np.median(random.choice(top, (RESAMPLES, len(top))), axis=1)
    bottoms = np.median(random.choice(bottom, (RESAMPLES, len(bottom))), axis=1)
    low, high = np.percentile(tops / bottoms, [2.5, 97.5])
    return Ratio(ratio, float(low), float(high))


def judge(speed: Ratio, margin: float) -> str:
    """SAME, FASTER, SLOWER or UNDECIDED.

    SAME: the whole interval lies within the margin, 1 / (1 + margin) to 1 + margin. FASTER, SLOWER:
    all of it lies beyond. Otherwise, and without an interval, UNDECIDED.
    """
    if speed.low is None or speed.high is None:
        return "UNDECIDED"
    top = 1 + margin
    bottom = 1 / top
    if speed.low > top:
        return "FASTER"
    if speed.high < bottom:
        return "SLOWER"
    if bottom <= speed.low and speed.high <= top:
        return "SAME"
    return "UNDECIDED"


def _refuse_unlike(a: Result, b: Result) -> None:
    where = f"{a.file} and {b.file}"
    if a.case != b.case:
        raise DataError(where, f"are of the cases {a.case} and {b.case}", "one case")
    if a.inputs != b.inputs:
        raise DataError(where, "have other inputs", "the same cameras and sha256")
    if (a.frames_asked, a.nodes) != (b.frames_asked, b.nodes):
        raise DataError(where, "have other numbers of frames or nodes", "the same")
    bundles = [None if r.scaling is None else r.scaling.bundles for r in (a, b)]
    if None not in bundles and bundles[0] != bundles[1]:
        raise DataError(where, f"have {bundles[0]} and {bundles[1]} bundles", "the same work")
    for result in (a, b):
        if result.effective is None or result.extraction is None:
            raise DataError(result.file, f"has no speed: {result.failure}", "a valid result")


def compare(a: Result, b: Result, margin: float = MARGIN) -> list[Comparison]:
    """B against A by both clocks; refuses what does not do the same work, or is not valid."""
    _refuse_unlike(a, b)
    found = []
    for clock in ("effective", "extraction"):
        seconds = [getattr(r, clock).seconds.samples for r in (a, b)]
        speed = bootstrap_ratio(*seconds)
        found.append(Comparison(a, b, clock, speed, judge(speed, margin)))
    return found


def _side(name: str, given: list[Result]) -> list[Result]:
    """Results of a file, a folder or, among those that are given, a run."""
    path = Path(name)
    if path.exists():
        return read_results([path])
    found = [r for r in given if r.run_id == name]
    if not found:
        known = ", ".join(dict.fromkeys(r.run_id for r in given)) or "none is given"
        raise UsageError("--compare", f"{name} is no file and no run", f"runs: {known}")
    return found


def compare_sides(
    a: str, b: str, given: list[Result], margin: float = MARGIN
) -> tuple[list[Comparison], list[str]]:
    """Two files, or two runs entry by entry; and what could not be compared, with the reason.

    Two files are compared whatever their entries are, or refused. Of two runs, entries that only
    one has, those without a speed and those that did other work are named.
    """
    first, second = _side(a, given), _side(b, given)
    if len(first) == 1 and len(second) == 1:
        return compare(first[0], second[0], margin), []
    found, skipped = [], []
    others = {(r.entry, r.case): r for r in second}
    entries = {r.entry for r in first}
    for one in first:
        other = others.get((one.entry, one.case))
        if other is None:
            same_name = next((r for r in second if r.entry == one.entry), None)
            reason = (
                f"{same_name.file} is of the case {same_name.case}" if same_name else f"only in {a}"
            )
            skipped.append(f"{one.entry}: {reason}")
        elif not one.effective or not other.effective:
            failed = one if not one.effective else other
            skipped.append(f"{one.entry}: no speed in {failed.file}: {failed.failure}")
        else:
            try:
                found += compare(one, other, margin)
            except DataError as error:
                skipped.append(f"{one.entry}: {error}")
    skipped += [f"{r.entry}: only in {b}" for r in second if r.entry not in entries]
    if not found:
        raise DataError(
            f"{a} and {b}", "have no entry in common that did the same work", "; ".join(skipped)
        )
    return found, skipped
