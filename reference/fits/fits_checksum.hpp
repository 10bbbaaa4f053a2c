// The checksum of FITS files.
#pragma once

#include <cstdint>
#include <span>

namespace spex {

/// Ones'-complement sum of `bytes`, taken as big-endian numbers of 32 bits, and of `sum`, which is
/// that of bytes before or after them (FITS standard 4.0, appendix J). 0 only where all are 0.
/// Throws std::logic_error where the number of bytes is no multiple of 4.
[[nodiscard]] std::uint32_t fits_checksum(std::span<const unsigned char> bytes,
                                          std::uint32_t sum = 0);

/// Of bytes in two parts, each of whole numbers: from the sums of both.
[[nodiscard]] std::uint32_t add_checksums(std::uint32_t a, std::uint32_t b);

}  // namespace spex
