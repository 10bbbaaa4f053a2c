// An image HDU that goes to a file in parts, without a copy of the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/fits/atomic_write.hpp"
#include "reference/fits/bytes.hpp"
#include "reference/model/reals.hpp"

namespace spex {

/// An image extension of float64 or else float32, with checksums, as FitsMemory would make it.
struct ImageInParts {
  std::string name;               ///< EXTNAME, that a card has room for
  std::vector<long> axes;         ///< NAXIS1 first
  bool of_double = false;         ///< float64, rounded to float32 where not
  const Reals* values = nullptr;  ///< all pixels, each finite; what put_at puts

  /// Bytes of its data, without the padding to whole blocks.
  [[nodiscard]] std::size_t data_size() const;
  /// Bytes of its header and its data, in whole blocks.
  [[nodiscard]] std::size_t size() const;
  /// The header where the data have that checksum.
  [[nodiscard]] Bytes header(std::uint32_t datasum) const;
  /// Puts them behind `offset`, on `threads` threads. Throws std::logic_error where a value is not
  /// finite or the axes ask for another number of values, and what `put` throws.
  void put_at(std::size_t offset, int threads, const PutPart& put) const;
};

}  // namespace spex
