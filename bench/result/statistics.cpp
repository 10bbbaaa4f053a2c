#include "bench/result/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "reference/core/median.hpp"

namespace spex::bench {
namespace {

constexpr double wanted_coverage = 0.95;
constexpr std::size_t least_for_interval = 2;

// The chance that the k-th smallest and the k-th largest of n samples have the median between them:
// 1 - 2 P(fewer than k of n tosses of a coin are heads).
double coverage_of(std::size_t n, std::size_t k) {
  // The chance of no heads is less than a double holds from 1075 tosses on.
  long double ways = std::pow(0.5L, static_cast<long double>(n)), tail = 0;  // n over i, over 2^n
  for (std::size_t i = 0; i < k; ++i) {
    tail += ways;
    ways *= static_cast<long double>(n - i) / static_cast<long double>(i + 1);
  }
  return static_cast<double>(1 - 2 * tail);
}

Statistic without_interval(const std::vector<double>& samples) {
  Statistic statistic;
  statistic.samples = samples;
  statistic.median = median(samples);
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - statistic.median));
  statistic.mad = median(deviations);
  return statistic;
}

// From the k-th smallest to the k-th largest sample.
void take_interval(std::size_t k, double coverage, Statistic& statistic) {
  std::vector<double> sorted = statistic.samples;
  std::sort(sorted.begin(), sorted.end());
  statistic.low = sorted[k - 1];
  statistic.high = sorted[sorted.size() - k];
  statistic.coverage = coverage;
}

// The tosses of a coin, while no look at them has missed: chance[h] that h were heads.
class Tosses {
 public:
  void toss() {
    chance_.push_back(0);
    for (std::size_t h = chance_.size() - 1; h > 0; --h)
      chance_[h] = 0.5 * (chance_[h] + chance_[h - 1]);
    chance_[0] *= 0.5;
  }
  // The chance that fewer than k of them are heads, or tails.
  [[nodiscard]] double missed_by(std::size_t k) const {
    const std::size_t n = chance_.size() - 1;
    double missed = 0;
    for (std::size_t h = 0; h <= n; ++h)
      if (h < k || n - h < k) missed += chance_[h];
    return missed;
  }
  void leave_out(std::size_t k) {
    const std::size_t n = chance_.size() - 1;
    for (std::size_t h = 0; h <= n; ++h)
      if (h < k || n - h < k) chance_[h] = 0;
  }

 private:
  std::vector<double> chance_{1};
};

}  // namespace

Statistic summarize(const std::vector<double>& samples) {
  Statistic statistic = without_interval(samples);
  const std::size_t n = samples.size();
  if (n < least_for_interval) return statistic;
  std::size_t k = 1;
  while (k < n / 2 && coverage_of(n, k + 1) >= wanted_coverage) ++k;
  take_interval(k, coverage_of(n, k), statistic);
  return statistic;
}

Statistic summarize(const std::vector<double>& samples, const Looks& looks) {
  // Fewer than at the first look: those that were throttled do not count.
  if (static_cast<int>(samples.size()) < looks.first) return summarize(samples);
  Statistic statistic = without_interval(samples);
  if (samples.size() < least_for_interval) return statistic;
  Tosses tosses;
  std::size_t k = 1, rank = 1;
  double missed = 0;
  for (int n = 1; n <= looks.most; ++n) {
    tosses.toss();
    if (n < looks.first) continue;
    const std::size_t half = static_cast<std::size_t>(n) / 2;
    while (k < half && missed + tosses.missed_by(k + 1) <= 1 - wanted_coverage) ++k;
    missed += tosses.missed_by(k);
    tosses.leave_out(k);
    if (static_cast<std::size_t>(n) <= samples.size()) rank = k;
  }
  take_interval(rank, 1 - missed, statistic);
  return statistic;
}

}  // namespace spex::bench
