// Byte order of GZIP_2 tiles.
#pragma once

#include <cstddef>
#include <span>

namespace spex {

/// Reverses the byte shuffle of elements of `element` bytes: `from` has all first bytes, then all
/// second bytes, and so on. `from` and `to` have the same size, a multiple of `element`.
inline void unshuffle(std::span<const unsigned char> from, std::size_t element,
                      std::span<unsigned char> to) {
  const std::size_t count = from.size() / element;
  for (std::size_t byte = 0; byte < element; ++byte)
    for (std::size_t i = 0; i < count; ++i) to[i * element + byte] = from[byte * count + i];
}

}  // namespace spex
