// An image's data that were compressed before they come to a file: plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spex {

/// The data of an image HDU of float32, big-endian as in the file and without padding, as a part of
/// a deflate stream (RFC 1951).
struct PackedImage {
  std::vector<char> deflated;  ///< ends on a whole byte, and does not end the stream
  std::size_t size = 0;        ///< bytes that `deflated` holds
  std::uint32_t crc = 0;       ///< CRC-32 of them
  std::uint32_t datasum = 0;   ///< their FITS checksum (fits/fits_checksum.hpp)
};

}  // namespace spex
