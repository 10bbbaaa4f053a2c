"""Medians and ratios with intervals that hold for any distribution, from order statistics."""

import math
import statistics
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A median or a ratio; `low` to `high` holds the true one with the probability `coverage`."""

    value: float
    low: float | None  # None of a single sample
    high: float | None
    coverage: float  # 0 without an interval
    count: int  # samples or pairs that it is from

    @property
    def confident(self) -> bool:
        """Whether the interval has the coverage that a verdict asks for."""
        return self.coverage >= CONFIDENCE


def median_coverage(count: int, k: int) -> float:
    """Probability that x_(k) to x_(n + 1 - k) holds the median: 1 - 2 sum_{i<k} C(n, i) / 2^n."""
    return 1 - 2 * sum(math.comb(count, i) for i in range(k)) / 2**count


def median_rank(count: int) -> int:
    """The k of the narrowest interval with the confidence; 1, the range, where none has it."""
    most = (count + 1) // 2
    return max(
        (k for k in range(1, most + 1) if median_coverage(count, k) >= CONFIDENCE), default=1
    )


@cache
def stopped_ranks(first: int, most: int) -> tuple[dict[int, int], float]:
    """The k of samples that ended when they looked good: after `first`, ..., `most` of them.

    Also the chance that no look at any of them misses the median, which is the coverage of the
    interval x_(k) to x_(n + 1 - k) whatever ended them: n tosses of a coin never have fewer than
    k(n) heads, or tails. k rises as far as that chance stays at CONFIDENCE.
    """
    ranks, k, missed, chance = {}, 1, 0.0, [1.0]
    for n in range(1, most + 1):
        chance = [0.5 * (a + b) for a, b in zip([*chance, 0.0], [0.0, *chance], strict=True)]
        if n < first:
            continue

        def missed_by(rank: int, chance: list[float] = chance, n: int = n) -> float:
            return sum(c for heads, c in enumerate(chance) if min(heads, n - heads) < rank)

        while k < n // 2 and missed + missed_by(k + 1) <= 1 - CONFIDENCE:
            k += 1
        missed += missed_by(k)
        chance = [0.0 if min(h, n - h) < k else c for h, c in enumerate(chance)]
        ranks[n] = k
    return ranks, 1 - missed


def median(samples: tuple[float, ...], looks: tuple[int, int] | None = None) -> Estimate:
    """The median and its interval; below six samples this is their range, and covers less.

    `looks` are the first and the last number of samples at which they could end, where they ended
    when they looked good. Of fewer than the first, some did not count, and none looked good.
    """
    ordered, count = sorted(samples), len(samples)
    value = statistics.median(ordered)
    if count < 2:
        return Estimate(value, None, None, 0.0, count)
    k = median_rank(count)
    coverage = median_coverage(count, k)
    if looks and count >= looks[0]:
        ranks, coverage = stopped_ranks(*looks)
        k = ranks.get(count, 1)
    return Estimate(value, ordered[k - 1], ordered[count - k], coverage, count)


def ratio_of_pairs(
    top: tuple[float, ...], bottom: tuple[float, ...], looks: tuple[int, int] | None = None
) -> Estimate:
    """The median of top_i / bottom_i, which were measured in the same round i; `looks` as above.

    One of the two may have ended before the other: whatever ended the pairs, they are as many as
    at one of the looks.
    """
    return median(tuple(t / b for t, b in zip(top, bottom, strict=True)), looks)


@cache
def _rank_sum_counts(m: int, n: int) -> tuple[int, ...]:
    """How many orders of m and n values have the Mann-Whitney statistic 0, 1, ..., m n."""
    if m == 0 or n == 0:
        return (1,)
    # The largest value is one of the m, and above all n, or one of the n.
    with_top, with_bottom = _rank_sum_counts(m - 1, n), _rank_sum_counts(m, n - 1)
    counts = [0] * (m * n + 1)
    for u, count in enumerate(with_top):
        counts[u + n] += count
    for u, count in enumerate(with_bottom):
        counts[u] += count
    return tuple(counts)


def ratio_of_runs(top: tuple[float, ...], bottom: tuple[float, ...]) -> Estimate:
    """The ratio of two runs that share no rounds: the median of top_i / bottom_j over all i and j.

    Its interval is that of Hodges and Lehmann, from the distribution of the Mann-Whitney statistic:
    exact where one run is the other times a factor.
    """
    ratios = sorted(t / b for t in top for b in bottom)
    count, value = len(ratios), statistics.median(ratios)
    if min(len(top), len(bottom)) < 2:
        return Estimate(value, None, None, 0.0, min(len(top), len(bottom)))
    orders = math.comb(len(top) + len(bottom), len(top))
    below = list(accumulate(_rank_sum_counts(len(top), len(bottom))))
    coverage = [1 - 2 * b / orders for b in below]  # of the interval whose rank is one more
    k = max((u + 1 for u in range(count // 2) if coverage[u] >= CONFIDENCE), default=1)
    return Estimate(
        value, ratios[k - 1], ratios[count - k], coverage[k - 1], min(len(top), len(bottom))
    )
