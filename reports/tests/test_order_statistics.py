"""Tests of the intervals, against enumerations of all orders."""

import itertools
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spexreports.order_statistics import (
    median,
    median_coverage,
    median_rank,
    ratio_of_pairs,
    ratio_of_runs,
    stopped_ranks,
)


class Median(unittest.TestCase):
    """The median of n samples."""

    def test_coverage_by_enumeration(self):
        """Each sample is below the true median or above it, with equal chances."""
        for n in range(2, 11):
            for k in range(1, n // 2 + 1):
                holds = sum(
                    k <= sum(below) <= n - k for below in itertools.product((0, 1), repeat=n)
                )
                self.assertAlmostEqual(median_coverage(n, k), holds / 2**n)

    def test_below_six_samples_none_is_of_95(self):
        """The range of five covers 93.75%, that of six 96.9%."""
        covers = [median(tuple(range(1, n + 1))).coverage for n in (2, 3, 4, 5, 6)]
        self.assertEqual(covers, [0.5, 0.75, 0.875, 0.9375, 0.96875])
        self.assertFalse(median((1, 2, 3, 4, 5)).confident)
        self.assertTrue(median((1, 2, 3, 4, 5, 6)).confident)

    def test_narrowest(self):
        """The rank is the largest that keeps the confidence; the next does not."""
        for n in range(6, 40):
            k = median_rank(n)
            self.assertGreaterEqual(median_coverage(n, k), 0.95)
            self.assertLess(median_coverage(n, k + 1), 0.95)

    def test_values(self):
        """The ends are samples."""
        found = median((9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 5.0))
        self.assertEqual((found.value, found.low, found.high, found.count), (5, 2, 8, 9))
        single = median((3.0,))
        self.assertEqual((single.value, single.low, single.coverage), (3.0, None, 0.0))


class Ratios(unittest.TestCase):
    """The ratio of two runs."""

    def test_pairs(self):
        """Numbers of the same place are divided."""
        self.assertEqual(ratio_of_pairs((2.0, 4.0, 6.0), (1.0, 2.0, 3.0)).value, 2)

    def test_coverage_of_runs_by_enumeration(self):
        """All orders of two samples of one distribution are alike; 1 must be in the interval."""
        for m, n in ((2, 3), (3, 3), (4, 4), (3, 5), (5, 5)):
            values = [math.exp(v) for v in range(m + n)]
            holds = count = 0
            coverage = 0.0
            for places in itertools.combinations(range(m + n), m):
                top = tuple(values[i] for i in places)
                bottom = tuple(v for i, v in enumerate(values) if i not in places)
                found = ratio_of_runs(top, bottom)
                coverage = found.coverage
                holds += found.low < 1 < found.high
                count += 1
            self.assertAlmostEqual(coverage, holds / count, msg=f"{m} and {n}")

    def test_looks_by_enumeration(self):
        """All tosses of 10 coins are alike; no look at 6 to 10 of them may miss the middle."""
        ranks, coverage = stopped_ranks(6, 10)
        tosses = list(itertools.product((0, 1), repeat=10))
        held = sum(
            all(ranks[n] <= sum(t[:n]) <= n - ranks[n] for n in range(6, 11)) for t in tosses
        )
        self.assertAlmostEqual(coverage, held / len(tosses))
        self.assertGreaterEqual(coverage, 0.95)
        self.assertGreater(stopped_ranks(6, 40)[0][40], ranks[10])
        values = tuple(float(v) for v in range(40))
        self.assertEqual(median(values, (6, 40)).coverage, stopped_ranks(6, 40)[1])
        self.assertLess(median(values, (6, 40)).low, median(values).low)
        # Fewer than at the first look are what they are.
        self.assertEqual(median(values[:3], (6, 40)).coverage, 0.75)
        ones = tuple(1.0 for _ in values)
        self.assertEqual(ratio_of_pairs(values, ones, (6, 40)), median(values, (6, 40)))

    def test_factor(self):
        """A run that is the other times a factor gives the factor."""
        run = (1.0, 1.1, 0.9, 1.05, 0.95)
        found = ratio_of_runs(tuple(2 * r for r in run), run)
        self.assertAlmostEqual(found.value, 2)
        self.assertTrue(found.low < 2 < found.high)


if __name__ == "__main__":
    unittest.main()
