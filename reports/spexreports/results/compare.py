"""Compares the speeds of two runs of the same work, by their ratio and its interval.

The interval is that of Hodges and Lehmann, from the distribution of the Mann-Whitney statistic. It
is exact for any distribution if one run's times are the other's times a factor.
"""

import math
import statistics
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

from spexreports.errors import DataError
from spexreports.results.read import read_results
from spexreports.results.result import CLOCKS, Result
from spexreports.results.work import compression, settings

CONFIDENCE = 0.95
MARGIN = 0.02
# Other processes that took more than this part of the CPU time in a run may be the difference.
OTHER_WORK = 0.05
HEAD = f"{'entry':24} {'clock':10} {'speed B / A':12} interval (coverage)         answer"
# Exit statuses of the answers, the first that occurs: slower, undecided, otherwise 0.
STATUSES = {"SLOWER": 4, "UNDECIDED": 6}


@dataclass(frozen=True)
class Ratio:
    """The speed of B over that of A; `low` to `high` contains it with probability `coverage`."""

    value: float
    low: float
    high: float
    coverage: float

    def verdict(self, margin: float) -> str:
        """SAME, FASTER or SLOWER; UNDECIDED if the interval is too wide or its coverage too low."""
        if self.coverage < CONFIDENCE:
            return "UNDECIDED"
        top = 1 + margin
        if self.low > top:
            return "FASTER"
        if self.high < 1 / top:
            return "SLOWER"
        return "SAME" if 1 / top <= self.low and self.high <= top else "UNDECIDED"


@cache
def _rank_sum_counts(m: int, n: int) -> tuple[int, ...]:
    """Number of orders of m and n values with the Mann-Whitney statistic 0, 1, ..., m n."""
    if m == 0 or n == 0:
        return (1,)
    # Recurrence: the largest value is in the first sample (adds n) or in the second.
    counts = [0] * (m * n + 1)
    for u, count in enumerate(_rank_sum_counts(m - 1, n)):
        counts[u + n] += count
    for u, count in enumerate(_rank_sum_counts(m, n - 1)):
        counts[u] += count
    return tuple(counts)


def ratio(top: tuple[float, ...], bottom: tuple[float, ...]) -> Ratio:
    """The median of top_i / bottom_j over all i and j, with its interval."""
    ratios = sorted(t / b for t in top for b in bottom)
    count, value = len(ratios), statistics.median(ratios)
    if min(len(top), len(bottom)) < 2:
        return Ratio(value, ratios[0], ratios[-1], 0.0)
    orders = math.comb(len(top) + len(bottom), len(top))
    below = accumulate(_rank_sum_counts(len(top), len(bottom)))
    coverage = [1 - 2 * b / orders for b in below]  # of the interval with the next rank
    k = max((u + 1 for u in range(count // 2) if coverage[u] >= CONFIDENCE), default=1)
    return Ratio(value, ratios[k - 1], ratios[count - k], coverage[k - 1])


def _unlike(a: Result, b: Result) -> str:
    """The difference in the work of two results; empty if there is none."""
    for r in (a, b):
        if not r.effective or not r.extraction:
            return f"no speed in {r.file}: {r.overall}"
    kinds = [
        (r.case, r.frames_asked, r.nodes, r.inputs["generator"]["size"], compression(r))
        for r in (a, b)
    ]
    if kinds[0] != kinds[1]:
        return f"other work: {kinds[0]} and {kinds[1]}"
    return "" if settings(a) == settings(b) else f"settings: {settings(a)}; {settings(b)}"


def _disturbed(*results: Result) -> str:
    """Why times of these results mean nothing; empty if other programs left the CPUs alone."""
    shares = [
        f"{100 * r.other_work:.0f}% of the CPU time in {name}"
        for name, r in zip("AB", results, strict=True)
        if r.other_work > OTHER_WORK
    ]
    return f"other processes took {' and '.join(shares)}" if shares else ""


def compare(first: Path, second: Path, margin: float = MARGIN) -> tuple[list[str], int]:
    """Lines of a table, and the exit status of its answers.

    By entry for two folders, or for two files of any entries. Where other processes disturbed a
    run, nothing is decided. Results that cannot be compared are listed. Throws DataError if nothing
    can be compared.
    """
    a, b = read_results([first]), read_results([second])
    pairs = list(zip(a, b, strict=True)) if len(a) == len(b) == 1 else []
    if not pairs:
        others = {(r.plan, r.entry): r for r in b}
        pairs = [(r, others[r.plan, r.entry]) for r in a if (r.plan, r.entry) in others]
    lines, omitted, answers = [], [], []
    for first_result, second_result in pairs:
        name = (
            first_result.entry
            if first_result.entry == second_result.entry
            else f"{second_result.entry} over {first_result.entry}"
        )
        if reason := _unlike(first_result, second_result):
            omitted.append(f"{name}: {reason}")
            continue
        for clock in CLOCKS:
            samples = [getattr(r, clock).seconds.samples for r in (first_result, second_result)]
            found = ratio(*samples)
            span = f"{found.low:.4f} to {found.high:.4f} ({100 * found.coverage:.0f}%)"
            why = _disturbed(first_result, second_result)
            answers.append("UNDECIDED" if why else found.verdict(margin))
            answer = f"{answers[-1]}: {why}" if why else answers[-1]
            lines.append(f"{name:24} {clock:10} {found.value:<12.4f} {span:27} {answer}")
    if not lines:
        why = "; ".join(omitted) or "no entry in common"
        raise DataError(f"{first} and {second}", "have nothing to compare", why)
    status = next((s for answer, s in STATUSES.items() if answer in answers), 0)
    return [HEAD, *lines, *(f"omitted: {line}" for line in omitted)], status
