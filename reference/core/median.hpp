// The median, as NumPy defines it.
#pragma once

#include <vector>

namespace spex {

/// Median of `values`, which are not NaN: the mean of the two middle values if their number is
/// even; 0 if `values` is empty. Sorts a copy partially.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace spex
