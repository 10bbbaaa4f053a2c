"""Is one result faster than another? The ratio of their speeds, its interval, a verdict."""

from dataclasses import dataclass
from pathlib import Path

from spexreports.errors import DataError, UsageError
from spexreports.marks import INCOMPLETE
from spexreports.order_statistics import Estimate, ratio_of_pairs, ratio_of_runs
from spexreports.result import CLOCKS, Figure, Result
from spexreports.result_files import read_results
from spexreports.work import same_work, why_incomplete

MARGIN = 0.02


@dataclass(frozen=True)
class Comparison:
    """B against A: a ratio above 1 says that B is so many times as fast."""

    a: Result
    b: Result
    clock: str
    speed: Estimate
    verdict: str

    @property
    def name(self) -> str:
        """Both entries, or the one that both are."""
        same = self.a.entry == self.b.entry
        return self.a.entry if same else f"{self.b.entry} against {self.a.entry}"

    @property
    def why_incomplete(self) -> str:
        """What keeps either side from being published; empty: nothing."""
        sides = [
            f"{side} ({', '.join(reasons)})"
            for side, result in (("A", self.a), ("B", self.b))
            if (reasons := why_incomplete(result))
        ]
        return f"not complete: {', '.join(sides)}" if sides else ""

    @property
    def marked_name(self) -> str:
        """The name, with the mark of what is not complete."""
        return self.name + (INCOMPLETE if self.why_incomplete else "")


def explained(found: list[Comparison]) -> list[str]:
    """What the mark says of which entries, a line for each reason."""
    names: dict[str, list[str]] = {}
    for one in found:
        if one.why_incomplete:
            of_reason = names.setdefault(one.why_incomplete, [])
            if one.name not in of_reason:
                of_reason.append(one.name)
    return [f"{INCOMPLETE} {', '.join(of)}: {reason}" for reason, of in names.items()]


def speed_ratio(a: Figure, b: Figure, same_run: bool) -> Estimate:
    """Frames an hour of a node of B over those of A.

    Within one run by pairs of the same round, which met the same state of the machine; else by all
    pairs of a sample of B with one of A.
    """
    rates = [{i: f.frames / (s * f.nodes) for i, s in f.seconds_of.items()} for f in (b, a)]
    rounds = sorted(set(rates[0]) & set(rates[1]))
    if same_run and rounds:
        looks = [f.looks for f in (a, b) if f.looks]
        ends = (min(first for first, _ in looks), max(most for _, most in looks)) if looks else None
        return ratio_of_pairs(*(tuple(rate[i] for i in rounds) for rate in rates), ends)
    return ratio_of_runs(*(tuple(rate.values()) for rate in rates))


def judge(speed: Estimate, margin: float) -> str:
    """SAME, FASTER, SLOWER or UNDECIDED.

    SAME: the whole interval lies within the margin, 1 / (1 + margin) to 1 + margin. FASTER, SLOWER:
    all of it lies beyond. Otherwise, and where the interval covers less than 95%, UNDECIDED.
    """
    if not speed.confident:
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
    different = same_work(a, b)
    if different:
        raise DataError(where, f"are {different}", "the same work")
    if (a.frames_asked, a.nodes) != (b.frames_asked, b.nodes):
        raise DataError(where, "have other numbers of frames or nodes", "the same")
    for result in (a, b):
        if result.effective is None or result.extraction is None:
            raise DataError(result.file, f"has no speed: {result.failure}", "a valid result")


def compare(a: Result, b: Result, margin: float = MARGIN) -> list[Comparison]:
    """B against A by both clocks; refuses what does not do the same work, or is not valid."""
    _refuse_unlike(a, b)
    same_run = a.run_id == b.run_id and a.system == b.system
    found = []
    for clock in CLOCKS:
        speed = speed_ratio(a.figure(clock), b.figure(clock), same_run)
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
