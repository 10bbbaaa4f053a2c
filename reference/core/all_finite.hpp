// Whether numbers are finite.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace spex {

/// Whether no value is NaN or infinite; true for no values.
[[nodiscard]] inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

}  // namespace spex
