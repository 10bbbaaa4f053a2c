#include "bench/result/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "reference/core/median.hpp"

namespace spex::bench {
namespace {

constexpr double required_coverage = 0.95;
constexpr int min_samples = 2;

// Tosses of a coin. chance[h] is the probability of h heads and of no miss so far.
class Tosses {
 public:
  void toss() {
    chance_.push_back(0);
    for (std::size_t h = chance_.size() - 1; h > 0; --h)
      chance_[h] = 0.5 * (chance_[h] + chance_[h - 1]);
    chance_[0] *= 0.5;
  }
  // The probability that fewer than k of the tosses are heads, or tails.
  [[nodiscard]] double missed_by(std::size_t k) const {
    const std::size_t n = chance_.size() - 1;
    double missed = 0;
    for (std::size_t h = 0; h <= n; ++h)
      if (h < k || n - h < k) missed += chance_[h];
    return missed;
  }
  void exclude(std::size_t k) {
    const std::size_t n = chance_.size() - 1;
    for (std::size_t h = 0; h <= n; ++h)
      if (h < k || n - h < k) chance_[h] = 0;
  }

 private:
  std::vector<double> chance_{1};
};

}  // namespace

double width_of(const Statistic& statistic) {
  if (!statistic.low || !statistic.high || !(statistic.median > 0))
    return std::numeric_limits<double>::infinity();
  return (*statistic.high - *statistic.low) / statistic.median;
}

bool is_too_wide(const Statistic& statistic, double width) {
  constexpr double rounding = 1e-9;
  return width_of(statistic) > width + rounding;
}

Statistic summarize(const std::vector<double>& samples) {
  const auto n = static_cast<int>(samples.size());
  return summarize(samples, {n, n});
}

Statistic summarize(const std::vector<double>& samples, const StoppingPoints& requested) {
  const auto count = static_cast<int>(samples.size());
  // Samples may be fewer than at the first stop, because throttled runs do not count.
  const StoppingPoints stops = count < requested.first ? StoppingPoints{count, count} : requested;
  Statistic statistic;
  statistic.samples = samples;
  statistic.median = median(samples);
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - statistic.median));
  statistic.mad = median(deviations);
  if (count < min_samples) return statistic;
  // The interval goes from the k-th smallest to the k-th largest sample.
  Tosses tosses;
  std::size_t k = 1, rank = 1;
  double missed = 0;
  for (int n = 1; n <= stops.last; ++n) {
    tosses.toss();
    if (n < stops.first) continue;
    const std::size_t half = static_cast<std::size_t>(n) / 2;
    while (k < half && missed + tosses.missed_by(k + 1) <= 1 - required_coverage) ++k;
    missed += tosses.missed_by(k);
    tosses.exclude(k);
    if (n <= count) rank = k;
  }
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  statistic.low = sorted[rank - 1];
  statistic.high = sorted[sorted.size() - rank];
  statistic.coverage = 1 - missed;
  return statistic;
}

}  // namespace spex::bench
