// Writes an image HDU to a file in parts, without a copy of the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/fits/bytes.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/model/reals.hpp"

namespace spex {

/// A float64 or float32 image extension with checksums, byte-identical to FitsMemory's.
struct ImageInParts {
  std::string name;               ///< EXTNAME; must fit in a card
  std::vector<long> axes;         ///< NAXIS1 first
  bool of_double = false;         ///< float64; else values are rounded to float32
  const Reals* values = nullptr;  ///< all pixels, each finite as it is written

  /// Bytes of the data, without padding to whole blocks.
  [[nodiscard]] std::size_t data_size() const;
  /// Bytes of the header and the data, in whole blocks.
  [[nodiscard]] std::size_t size() const;
  /// The header for data with the checksum `datasum`.
  [[nodiscard]] Bytes header(std::uint32_t datasum) const;
  /// Writes header and data at `offset` on `threads` threads. Throws std::logic_error if a value
  /// is not finite as it is written, or the axes do not match the number of values; passes on
  /// exceptions of `put`.
  void put_at(std::size_t offset, int threads, const PutPart& put) const;
};

}  // namespace spex
