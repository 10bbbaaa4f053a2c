// The values of an image, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/fits/fits_checksum.hpp"
#include "reference/fits/read/image_form.hpp"
#include "reference/fits/read/stored_pixels.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {

/// Reads the pixels of one image in parts that fit in the cache. Blank pixels are NaN, or have all
/// bits. The FitsReader that made it must stay open.
class PixelReader {
 public:
  static constexpr std::size_t part = std::size_t{1} << 16;  ///< pixels of a part

  /// Pixels in the file that `read_at` reads; compares the checksums of `hdu` if `checksums`.
  PixelReader(const FitsHdu& hdu, const ImageForm& form, ReadAt read_at, bool checksums);
  /// Pixels in memory. Throws std::logic_error if they were taken.
  PixelReader(const FitsHdu& hdu, const ImageForm& form, StoredPixels& stored);

  /// The number of pixels.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Whether float holds the values (ImageForm).
  [[nodiscard]] bool is_single() const { return form_->is_single(); }

  /// Appends the values of the next `part` pixels, fewer at the end.
  /// Value is float, double, or std::uint32_t for bits (the low 32 bits; -1 sets all). Throws
  /// Error(data) if the file ends early, if a checksum is wrong, and for bits if the pixels are not
  /// integers of 32 bits.
  template <class Value>
  void append(std::vector<Value>& to);
  /// All values. Throws as append does.
  template <class Value>
  [[nodiscard]] std::vector<Value> all();
  /// Moves all values out of memory; nothing if they must be converted or read from the file. The
  /// image cannot be read again.
  template <class Value>
  [[nodiscard]] std::vector<Value> take();

 private:
  template <class Stored, class Value>
  void convert(std::span<const Stored> stored, Value* to) const;
  template <class Stored>
  void read(std::span<Stored> to);
  template <class Stored, class Value>
  void append_from_file(std::size_t count, Value* to);

  const FitsHdu* hdu_;
  const ImageForm* form_;
  std::size_t size_;
  std::size_t at_ = 0;  // pixels read
  ReadAt read_at_;      // if stored_ is null
  bool checksums_ = false;
  FitsSum sum_;
  StoredPixels* stored_ = nullptr;
};

}  // namespace spex
