// The median, as NumPy defines it.
#pragma once

#include <vector>

namespace spex {

/// Median of `values`, which are not NaN: the mean of the two middle values if their number is
/// even; 0 if `values` is empty. Sorts a copy partially. Each value is divided by `divisor`, which
/// is positive: only the middle ones need it, because a division keeps the order.
[[nodiscard]] double median(std::vector<double> values, double divisor = 1);

}  // namespace spex
