// Pixels that need no conversion except of byte order.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reference/core/error.hpp"
#include "reference/fits/big_endian.hpp"
#include "reference/fits/read/unzip_fits.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {

/// Unscaled 4-byte pixels, read several times faster than by CFITSIO. Not thread-safe; the file
/// must stay open.
class PlainPixels {
 public:
  /// `count` pixels from byte `offset` on; `name` is their name in errors.
  PlainPixels(ReadAt read_at, long long offset, std::size_t count, std::string name)
      : read_at_(std::move(read_at)), offset_(offset), size_(count), name_(std::move(name)) {}

  /// Pixels that are already in memory, in native byte order.
  explicit PlainPixels(NativePixels& native)
      : size_(std::visit([](const auto& pixels) { return pixels.size(); }, native)),
        native_(&native) {}

  /// The number of pixels.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Moves all pixels out of memory; returns nothing if they must be read from the file.
  template <class T>
  [[nodiscard]] std::vector<T> take_native() const {
    return native_ == nullptr ? std::vector<T>() : std::move(std::get<std::vector<T>>(*native_));
  }

  /// Appends the pixels [first, first + count) to `to`. Throws Error(data) if the file ends early.
  template <class T>
  void append(std::size_t first, std::size_t count, std::vector<T>& to) const {
    if (native_ != nullptr) {
      const auto begin =
          std::get<std::vector<T>>(*native_).begin() + static_cast<std::ptrdiff_t>(first);
      to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
      return;
    }
    if (!append_big_endian(read_at_, offset_ + static_cast<long long>(first * sizeof(T)), count,
                           to))
      throw data_error(name_, "cannot read its pixels");
  }

 private:
  ReadAt read_at_;
  long long offset_ = 0;
  std::size_t size_;
  std::string name_;
  NativePixels* native_ = nullptr;
};

}  // namespace spex
