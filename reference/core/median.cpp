#include "reference/core/median.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace spex {
namespace {

constexpr std::size_t nsample = 128;
constexpr std::size_t margin = 16;  // a sample's middle is off by 6 (rms)

// Leaves out values on both sides of the one with `rank`, as many as a sample tells, because
// selecting among all takes longer. Keeps also the value below that one, which an even number of
// values needs. Returns how many smaller ones are left out; 0 if the sample misled.
std::size_t narrow(std::vector<double>& values, std::size_t rank) {
  const std::size_t size = values.size();
  std::array<double, nsample> sample{};
  for (std::size_t k = 0; k < nsample; ++k) sample[k] = values[k * size / nsample];
  const std::size_t place = std::clamp(rank * nsample / size, margin, nsample - 1 - margin);
  auto* const first = sample.data() + place - margin;
  auto* const last = sample.data() + place + margin;
  std::nth_element(sample.data(), first, sample.data() + nsample);
  std::nth_element(first + 1, last, sample.data() + nsample);
  const double low = *first, high = *last;
  std::vector<double> inside(size);
  std::size_t kept = 0, smaller = 0;
  for (const double value : values) {  // without branches, whose directions cannot be predicted
    inside[kept] = value;
    kept += static_cast<std::size_t>(value >= low) & static_cast<std::size_t>(value <= high);
    smaller += static_cast<std::size_t>(value < low);
  }
  const bool has_both = smaller < rank && rank < smaller + kept;
  if (!has_both) return 0;
  inside.resize(kept);
  values = std::move(inside);
  return smaller;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t size = values.size();
  std::size_t rank = size / 2;
  // The first time leaves a quarter, the second a sixteenth.
  for (int k = 0; k < 2 && values.size() >= 4 * nsample; ++k) rank -= narrow(values, rank);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), middle, values.end());
  if (size % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace spex
