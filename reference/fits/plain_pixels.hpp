// Pixels of a file that are what is wanted but for the order of their bytes.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reference/core/error.hpp"
#include "reference/fits/big_endian.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {

/// Pixels of 4 bytes each, without scaling, which CFITSIO would take several times as long to read.
/// For one thread, while the file is open.
class PlainPixels {
 public:
  /// `count` pixels from byte `offset` on; `name` is what errors call them.
  PlainPixels(ReadAt read_at, long long offset, std::size_t count, std::string name)
      : read_at_(std::move(read_at)), offset_(offset), size_(count), name_(std::move(name)) {}

  /// How many there are.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Appends the pixels [first, first + count) to `to`. Throws Error(data) where the file ends.
  template <class T>
  void append(std::size_t first, std::size_t count, std::vector<T>& to) const {
    if (!append_big_endian(read_at_, offset_ + static_cast<long long>(first * sizeof(T)), count,
                           to))
      throw data_error(name_, "cannot read its pixels");
  }

 private:
  ReadAt read_at_;
  long long offset_;
  std::size_t size_;
  std::string name_;
};

}  // namespace spex
