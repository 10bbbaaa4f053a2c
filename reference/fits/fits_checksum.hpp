// FITS checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spex {

/// Ones'-complement sum of `bytes`, read as big-endian 32-bit words, and of `sum`, the checksum of
/// preceding or following bytes (FITS standard 4.0, appendix J). 0 only if all bytes are 0. Throws
/// std::logic_error if the number of bytes is not a multiple of 4.
[[nodiscard]] std::uint32_t fits_checksum(std::span<const unsigned char> bytes,
                                          std::uint32_t sum = 0);

/// The same of bytes that come in pieces of any size.
class FitsSum {
 public:
  /// Adds the next bytes.
  void add(std::span<const unsigned char> bytes);
  /// The checksum of all bytes so far, which zeros complete to whole words.
  [[nodiscard]] std::uint32_t value() const;

 private:
  std::uint64_t total_ = 0;
  std::size_t size_ = 0;  // bytes so far
};

/// The checksum of data in two parts of whole words, from the checksums of the parts.
[[nodiscard]] std::uint32_t add_checksums(std::uint32_t a, std::uint32_t b);

}  // namespace spex
