// The Rice decoder of tile-compressed FITS files (FITS standard 4.0, section 10.4.1).
#pragma once

#include <cstdint>
#include <span>

namespace spex {

/// Decodes pixels that were coded in blocks of `block` >= 1. Returns false if the stream is too
/// short; extra bytes are ignored.
///
/// CFITSIO's decoder checks for the end of the stream only after each block and reads beyond the
/// end.
[[nodiscard]] bool rice_decode(std::span<const unsigned char> stream, int block,
                               std::span<std::uint8_t> pixels);
/// The same for 16-bit pixels.
[[nodiscard]] bool rice_decode(std::span<const unsigned char> stream, int block,
                               std::span<std::int16_t> pixels);
/// The same for 32-bit pixels.
[[nodiscard]] bool rice_decode(std::span<const unsigned char> stream, int block,
                               std::span<std::int32_t> pixels);

}  // namespace spex
