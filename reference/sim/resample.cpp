#include "reference/sim/resample.hpp"

#include <algorithm>
#include <cstddef>

namespace spex {
namespace {

// The integral over [low, high] of the line between two points.
double area(double wave0, double wave1, double flux0, double flux1, double low, double high) {
  const double middle = (low + high) / 2;
  const double part = (middle - wave0) / (wave1 - wave0);
  return (high - low) * ((1 - part) * flux0 + part * flux1);
}

}  // namespace

std::vector<double> means_of_bins(std::span<const double> wave, std::span<const double> flux,
                                  std::span<const double> centers, double dw) {
  std::vector<double> means;
  means.reserve(centers.size());
  for (const double center : centers) {
    const double low = center - dw / 2, high = center + dw / 2;
    // The first interval that ends above `low`.
    auto i = static_cast<std::size_t>(std::ranges::upper_bound(wave, low) - wave.begin());
    double sum = 0;
    for (i = std::max<std::size_t>(i, 1); i < wave.size() && wave[i - 1] < high; ++i)
      sum += area(wave[i - 1], wave[i], flux[i - 1], flux[i], std::max(low, wave[i - 1]),
                  std::min(high, wave[i]));
    means.push_back(sum / dw);
  }
  return means;
}

}  // namespace spex
