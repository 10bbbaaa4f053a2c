// What is said of a few samples.
#pragma once

#include <optional>
#include <vector>

#include "bench/plan/members.hpp"

namespace spex::bench {

struct Statistic {
  double median = 0;
  double mad = 0;                   ///< median absolute deviation from the median
  std::optional<double> low, high;  ///< an interval of the median; of 2 samples and more
  std::optional<double> coverage;   ///< the chance that it holds the median
  std::vector<double> samples;
  SPEX_MEMBERS(median, mad, low, high, coverage, samples)
};

/// Of at least one sample. The interval goes from the k-th smallest to the k-th largest sample,
/// with the largest k for which it holds the median of what they are samples of in 95% of cases or
/// more, whatever their distribution: it does not where k or fewer of n lie on one side, which has
/// the chance of n tosses of a coin. With fewer than 6 samples no k does; then it goes from the
/// smallest to the largest, and `coverage` says how far it can be trusted (5 samples: 0.9375).
[[nodiscard]] Statistic summarize(const std::vector<double>& samples);

/// When samples may have ended: after `first` of them, and after each further one up to `most`.
struct Looks {
  int first = 0, most = 0;
};

/// The same of samples that ended when they looked good. Whoever looks often meets an interval that
/// misses the median more often than one that is looked at once. Here k rises from look to look, so
/// that the chance that any of them misses stays within 5%: of n tosses of a coin, after `first`,
/// `first` + 1, ..., never are fewer than k(n) heads, or tails. `coverage` is the chance that none
/// of all looks up to `most` misses, exact, whatever the distribution and the rule that ended them.
[[nodiscard]] Statistic summarize(const std::vector<double>& samples, const Looks& looks);

}  // namespace spex::bench
