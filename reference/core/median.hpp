// The median as NumPy takes it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace spex {

/// Median of `values`: the mean of the two middle ones where their number is even, 0 where there is
/// none. Takes a copy, which it reorders.
[[nodiscard]] inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace spex
