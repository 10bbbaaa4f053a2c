// The Rice decoder of tile-compressed FITS files (FITS standard 4.0, section 10.4.1).
#pragma once

#include <cstdint>
#include <span>

namespace spex {

/// Decodes pixels that were coded in blocks of `block` >= 1. False where the stream ends before
/// them; bytes behind them are no fault.
///
/// CFITSIO's decoder looks for the end of the stream only after each block, and reads on beyond it.
[[nodiscard]] bool rice_decode(std::span<const unsigned char> stream, int block,
                               std::span<std::uint8_t> pixels);
/// The same for pixels of 16 bits.
[[nodiscard]] bool rice_decode(std::span<const unsigned char> stream, int block,
                               std::span<std::int16_t> pixels);
/// The same for pixels of 32 bits.
[[nodiscard]] bool rice_decode(std::span<const unsigned char> stream, int block,
                               std::span<std::int32_t> pixels);

}  // namespace spex
