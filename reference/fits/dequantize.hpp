// Quantized floating-point tiles to numbers (FITS standard 4.0, sections 10.2 and 10.2.1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace spex {

/// How values were dithered before they were rounded (ZQUANTIZ).
enum class Dither { none, subtractive_1, subtractive_2 };

/// What a tile's integers mean: value = (integer - random number + 0.5) scale + zero, or, without
/// dither, integer scale + zero.
struct Quantization {
  Dither dither = Dither::none;            ///< which random numbers are taken off
  long long seed = 1;                      ///< ZDITHER0, 1 to 10000
  std::optional<std::int32_t> blank = {};  ///< the integer that stands for NaN
  double scale = 1;                        ///< ZSCALE
  double zero = 0;                         ///< ZZERO
};

/// Values of tile number `tile`, counted from 1. The same bits as CFITSIO's, except for blank
/// integers, which CFITSIO gives a value where it is not asked for blanks.
void dequantize(std::span<const std::int32_t> integers, long long tile, const Quantization& how,
                std::span<double> values);

}  // namespace spex
