#include "bench/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace spex::bench {
namespace {

constexpr double wanted_coverage = 0.95;
constexpr std::size_t least_for_interval = 2;

// The chance that the k-th smallest and the k-th largest of n samples have the median between them:
// 1 - 2 P(fewer than k of n tosses of a coin are heads).
double coverage_of(std::size_t n, std::size_t k) {
  double tail = 0;
  double ways = std::pow(0.5, static_cast<double>(n));  // n over i, over 2^n
  for (std::size_t i = 0; i < k; ++i) {
    tail += ways;
    ways *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return 1 - 2 * tail;
}

}  // namespace

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

Statistic summarize(const std::vector<double>& samples) {
  Statistic statistic;
  statistic.samples = samples;
  statistic.median = median_of(samples);
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - statistic.median));
  statistic.mad = median_of(deviations);
  if (samples.size() < least_for_interval) return statistic;

  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  std::size_t k = 1;
  while (k < sorted.size() / 2 && coverage_of(sorted.size(), k + 1) >= wanted_coverage) ++k;
  statistic.low = sorted[k - 1];
  statistic.high = sorted[sorted.size() - k];
  statistic.coverage = coverage_of(sorted.size(), k);
  return statistic;
}

}  // namespace spex::bench
