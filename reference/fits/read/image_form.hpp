// How an image stores its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/fits/read/check_headers.hpp"

namespace spex {

/// A pixel's value is `scale` · stored number + `zero`; it has none where the stored number is
/// `blank`.
struct ImageForm {
  int bitpix = 8;                     ///< 8, 16, 32, 64: integers; -32, -64: floating point
  std::vector<long long> axes;        ///< NAXIS1 first; empty: no pixels
  double scale = 1;                   ///< BSCALE
  double zero = 0;                    ///< BZERO
  std::optional<std::int64_t> blank;  ///< BLANK, of integers only

  /// The number of pixels.
  [[nodiscard]] std::size_t pixels() const;
  /// Whether the stored numbers are the values.
  [[nodiscard]] bool is_plain() const { return scale == 1 && zero == 0 && !blank; }
  /// Whether all values are whole numbers.
  [[nodiscard]] bool is_whole() const;
  /// Whether the values are kept as float: those of f4, of integers of up to 24 bits, and of scaled
  /// integers of 8 and 16 bits, which are rounded to float as by CFITSIO.
  [[nodiscard]] bool is_single() const;
};

/// The form of an image that is not compressed. Throws Error(data) if BSCALE, BZERO or BLANK is not
/// a number.
[[nodiscard]] ImageForm image_form(const FitsHeader& header);

/// BSCALE and BZERO of `header`, and its BLANK if `form` holds integers.
void read_scale(const FitsHeader& header, ImageForm& form);

}  // namespace spex
