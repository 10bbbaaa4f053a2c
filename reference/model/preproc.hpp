// A preprocessed CCD frame as its file holds it (extraction.md, section 1): plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/model/fields.hpp"
#include "reference/model/reals.hpp"

namespace spex {

/// FIBERMAP, passed through untouched: a FITS file in memory (an empty primary HDU and the table),
/// and the one column that the extraction reads. Both are empty where there is no table.
struct Fibermap {
  std::vector<char> fits;           ///< a whole FITS file
  std::vector<std::int64_t> fiber;  ///< FIBER, a row each
};

/// All fields of a Fibermap.
template <MaybeConst<Fibermap> T>
auto fields(T& fibermap) {
  auto& [fits, fiber] = fibermap;
  return std::tie(fits, fiber);
}

/// Rows first: pixel (x, y) is at `y * nx + x`.
struct Preproc {
  int nx = 0;                       ///< columns
  int ny = 0;                       ///< rows
  Reals image;                      ///< electron
  Reals ivar;                       ///< electron^-2
  std::vector<std::uint32_t> mask;  ///< 0 = good; else mask_bits of mask_bits.hpp
  std::string camera;               ///< CAMERA of the IMAGE header, in lower case, e.g. "r0"
  /// IMAGE header, 80-character cards, structural ones left out; CAMERA in lower case.
  std::vector<std::string> cards;
  Fibermap fibermap;  ///< empty where there is none
};

/// All fields of a Preproc.
template <MaybeConst<Preproc> T>
auto fields(T& preproc) {
  auto& [nx, ny, image, ivar, mask, camera, cards, fibermap] = preproc;
  return std::tie(nx, ny, image, ivar, mask, camera, cards, fibermap);
}

/// What the extraction sees of a frame: value and weight of every pixel (W_i of section 1).
struct Pixels {
  int nx = 0;    ///< columns
  int ny = 0;    ///< rows
  Reals value;   ///< p_i, electron; 0 where it is not finite
  Reals weight;  ///< W_i, electron^-2; 0 where the pixel is not used

  /// Frees both images; nx and ny stay.
  void release() {
    value = Reals();
    weight = Reals();
  }
};

/// All fields of a Pixels.
template <MaybeConst<Pixels> T>
auto fields(T& pixels) {
  auto& [nx, ny, value, weight] = pixels;
  return std::tie(nx, ny, value, weight);
}

}  // namespace spex
