// Dequantization of floating-point tiles (FITS standard 4.0, sections 10.2 and 10.2.1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace spex {

/// The dithering method (ZQUANTIZ).
enum class Dither { none, subtractive_1, subtractive_2 };

/// Dequantization parameters: value = (integer - random number + 0.5) scale + zero with dither, and
/// integer scale + zero without.
struct Quantization {
  Dither dither = Dither::none;            ///< how random numbers are subtracted
  long long seed = 1;                      ///< ZDITHER0, 1 to 10000
  std::optional<std::int32_t> blank = {};  ///< the integer that represents NaN
  double scale = 1;                        ///< ZSCALE
  double zero = 0;                         ///< ZZERO
};

/// Values of tile number `tile`, counted from 1. Bit-identical to CFITSIO, except for blank
/// integers, which CFITSIO converts to numbers unless it is asked to check for blanks.
void dequantize(std::span<const std::int32_t> integers, long long tile, const Quantization& how,
                std::span<double> values);

}  // namespace spex
