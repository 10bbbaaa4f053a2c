#include "reference/core/median.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace spex {
namespace {

// Leaves out values on both sides of the middle, as many as a sample tells: selecting among all
// takes three times longer. Returns how many smaller ones are left out.
std::size_t narrow(std::vector<double>& values) {
  constexpr std::size_t nsample = 128, margin = 16;  // the sample's middle is off by 6 (rms)
  const std::size_t size = values.size();
  if (size < 4 * nsample) return 0;
  std::array<double, nsample> sample{};
  for (std::size_t k = 0; k < nsample; ++k) sample[k] = values[k * size / nsample];
  std::ranges::sort(sample);
  const double low = sample[nsample / 2 - margin], high = sample[nsample / 2 + margin];
  std::vector<double> inside(size);
  std::size_t kept = 0, smaller = 0;
  for (const double value : values) {  // without branches, whose directions cannot be predicted
    inside[kept] = value;
    kept += static_cast<std::size_t>(value >= low) & static_cast<std::size_t>(value <= high);
    smaller += static_cast<std::size_t>(value < low);
  }
  const bool has_both_middles = smaller < size / 2 && size / 2 < smaller + kept;
  if (!has_both_middles) return 0;
  inside.resize(kept);
  values = std::move(inside);
  return smaller;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t size = values.size();
  const std::size_t left_out = narrow(values);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(size / 2 - left_out);
  std::nth_element(values.begin(), middle, values.end());
  if (size % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace spex
