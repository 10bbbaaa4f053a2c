// Sizes of arrays whose extents are int: fibers, bins, pixels, diagonals.
#pragma once

#include <concepts>
#include <cstddef>

namespace spex {

/// The product of extents, in std::size_t from the first factor on: n x m x ... elements. None may
/// be negative.
template <std::integral... Extent>
[[nodiscard]] constexpr std::size_t count_of(Extent... extent) {
  return (std::size_t{1} * ... * static_cast<std::size_t>(extent));
}

}  // namespace spex
