// The median, as NumPy defines it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace spex {

/// Median of `values`: the mean of the two middle values if their number is even; 0 if `values` is
/// empty. Sorts a copy partially.
[[nodiscard]] inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace spex
