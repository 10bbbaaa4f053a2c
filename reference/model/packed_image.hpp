// A compressed image, ready to be written to a file: plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spex {

/// The data of a float32 image HDU, big-endian and without padding, as a part of a deflate stream
/// (RFC 1951).
struct PackedImage {
  std::vector<char> deflated;  ///< ends on a whole byte, does not end the stream
  std::size_t size = 0;        ///< uncompressed bytes
  std::uint32_t crc = 0;       ///< CRC-32 of the uncompressed bytes
  std::uint32_t datasum = 0;   ///< FITS checksum of the uncompressed bytes (fits/fits_checksum.hpp)
};

}  // namespace spex
