// Median and confidence interval of a few samples.
#pragma once

#include <optional>
#include <vector>

#include "bench/plan/members.hpp"

namespace spex::bench {

struct Statistic {
  double median = 0;
  double mad = 0;
  std::optional<double> low, high, coverage;
  std::vector<double> samples;
  SPEX_ROWS((median), (mad, "median absolute deviation from the median"),
            (low, "end of an interval of the median; null with fewer than 2 samples"), (high),
            (coverage, "probability that the interval contains the median"), (samples))
};

/// The width of the interval, relative to the median; infinite without an interval.
[[nodiscard]] double width_of(const Statistic& statistic);

/// Whether the interval is wider than `width` times the median. Values within a rounding error of
/// it are not.
[[nodiscard]] bool is_too_wide(const Statistic& statistic, double width);

/// Summary of at least one sample. The interval goes from the k-th smallest to the k-th largest
/// sample (sign test): it misses the distribution's median if fewer than k of n samples are on one
/// side of it, which has the probability of n tosses of a coin for any distribution. k is the
/// largest with a coverage of at least 95%. With fewer than 6 samples there is none; the interval
/// then goes from the smallest to the largest sample, and `coverage` is smaller (5 samples:
/// 0.9375).
[[nodiscard]] Statistic summarize(const std::vector<double>& samples);

/// Numbers of samples at which sampling may have stopped: `first`, and each further one up to
/// `last`.
struct StoppingPoints {
  int first = 0, last = 0;
};

/// The same for samples that were stopped when their interval was narrow enough. If many intervals
/// are inspected, one of them misses the median more often than a single one would. So k rises with
/// the number of samples, such that the probability that any of the intervals misses stays within
/// 5%: in n tosses of a coin, for n = `first`, `first` + 1, ..., there are never fewer than k(n)
/// heads or tails. `coverage` is the probability that none of the intervals up to `last` misses. It
/// is exact for any distribution and stopping rule.
[[nodiscard]] Statistic summarize(const std::vector<double>& samples, const StoppingPoints& stops);

}  // namespace spex::bench
