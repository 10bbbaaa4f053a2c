// Sizes of arrays from their extents.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace spex::gpu {

/// Elements of an array with these extents: their product. Throws std::length_error where an
/// extent is negative or the product does not fit.
template <std::integral... Extents>
[[nodiscard]] constexpr std::size_t count_of(Extents... extents) {
  std::size_t count = 1;
  const auto multiply = [&](auto extent) {
    if (extent < 0) throw std::length_error("count_of: a negative extent");
    const auto factor = static_cast<std::size_t>(extent);
    if (factor != 0 && count > std::numeric_limits<std::size_t>::max() / factor)
      throw std::length_error("count_of: more elements than memory could hold");
    count *= factor;
  };
  (multiply(extents), ...);
  return count;
}

}  // namespace spex::gpu
