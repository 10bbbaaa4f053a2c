// Sizes of arrays whose extents are int: fibers, bins, pixels, diagonals.
#pragma once

#include <concepts>
#include <cstddef>

namespace spex {

/// The product of non-negative extents n x m x ..., computed in std::size_t.
template <std::integral... Extent>
[[nodiscard]] constexpr std::size_t count_of(Extent... extent) {
  return (std::size_t{1} * ... * static_cast<std::size_t>(extent));
}

}  // namespace spex
