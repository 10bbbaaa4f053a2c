#include "bench/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

namespace spex::bench {
namespace {

constexpr int resamples = 10000;
constexpr std::size_t least_for_interval = 3;

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

  // The remainder, not std::uniform_int_distribution, whose numbers differ between libraries.
  std::mt19937_64 random(20101);
  std::vector<double> medians;
  medians.reserve(resamples);
  std::vector<double> drawn(samples.size());
  for (int k = 0; k < resamples; ++k) {
    for (double& value : drawn) value = samples[random() % samples.size()];
    medians.push_back(median_of(drawn));
  }
  std::sort(medians.begin(), medians.end());
  statistic.low = medians[resamples * 25 / 1000];
  statistic.high = medians[resamples * 975 / 1000 - 1];
  return statistic;
}

}  // namespace spex::bench
