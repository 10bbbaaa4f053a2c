// Whether numbers are finite, in double or in single precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace spex {

/// Whether no value is NaN or infinite; true for no values.
[[nodiscard]] inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

/// Whether the value is still finite as float32.
[[nodiscard]] inline bool float_holds(double value) {
  return std::abs(value) <= std::numeric_limits<float>::max();
}

/// The same for all values; true for no values. Without early exit, so that the loop is vectorized.
[[nodiscard]] inline bool float_holds(std::span<const double> values) {
  int beyond = 0;
  for (const double value : values) beyond |= float_holds(value) ? 0 : 1;
  return beyond == 0;
}

}  // namespace spex
