// The order of bytes in GZIP_2 tiles.
#pragma once

#include <cstddef>
#include <span>

namespace spex {

/// Puts the bytes of elements of `element` bytes together: `from` has all first bytes, then all
/// second bytes and so on. Both have the same size, a multiple of `element`.
inline void unshuffle(std::span<const unsigned char> from, std::size_t element,
                      std::span<unsigned char> to) {
  const std::size_t count = from.size() / element;
  for (std::size_t byte = 0; byte < element; ++byte)
    for (std::size_t i = 0; i < count; ++i) to[i * element + byte] = from[byte * count + i];
}

}  // namespace spex
