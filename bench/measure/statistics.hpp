// What is said of a few samples.
#pragma once

#include <optional>
#include <vector>

namespace spex::bench {

struct Statistic {
  double median = 0;
  double mad = 0;                   ///< median absolute deviation from the median
  std::optional<double> low, high;  ///< 95% interval of the median; of 3 samples and more
  std::vector<double> samples;
};

/// Median of at least one value.
[[nodiscard]] double median_of(std::vector<double> values);

/// Of at least one sample. The interval is the 2.5% and 97.5% quantiles of the medians of 10,000
/// resamples, drawn with a fixed seed: the same samples give the same interval.
[[nodiscard]] Statistic summarize(const std::vector<double>& samples);

}  // namespace spex::bench
