// A preprocessed CCD frame, as stored in its file (extraction.md, section 1): plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/model/members.hpp"
#include "reference/model/reals.hpp"

namespace spex {

/// FIBERMAP, passed through unchanged, as a FITS file in memory (an empty primary HDU and the
/// table), and the only column that the extraction reads. Both are empty if there is no table.
struct Fibermap {
  std::vector<char> fits;           ///< a whole FITS file
  std::vector<std::int64_t> fiber;  ///< FIBER, one value per row

  SPEX_MEMBERS(fits, fiber)
};

/// The pixel of the CCD that is the first of a cut-out.
struct FirstPixel {
  int x = 0;  ///< column
  int y = 0;  ///< row

  bool operator==(const FirstPixel& other) const = default;  ///< both equal
};

/// Rows first: pixel (x, y) is at `y * nx + x`.
struct Preproc {
  int nx = 0;                       ///< columns
  int ny = 0;                       ///< rows
  Reals image;                      ///< electron
  Reals ivar;                       ///< electron^-2
  std::vector<std::uint32_t> mask;  ///< 0 = good; else mask_bits of mask_bits.hpp
  bool has_mask = true;             ///< false: the image has no MASK, and all pixels are good
  std::optional<FirstPixel> first;  ///< of a cut-out by specter, whose header states it
  std::string camera;  ///< CAMERA of the IMAGE header, in lower case, e.g. "r0"; may be empty
  /// IMAGE header as 80-character cards, without structural keywords; CAMERA in lower case.
  std::vector<std::string> cards;
  Fibermap fibermap;  ///< empty if there is no table

  SPEX_MEMBERS(nx, ny, image, ivar, mask, has_mask, first, camera, cards, fibermap)
};

/// The input of the extraction: value and weight of every pixel (W_i of section 1).
struct Pixels {
  int nx = 0;    ///< columns
  int ny = 0;    ///< rows
  Reals value;   ///< p_i, electron; 0 if not finite
  Reals weight;  ///< W_i, electron^-2; 0 if the pixel is unused

  /// Frees both images; keeps nx and ny.
  void release() {
    value = Reals();
    weight = Reals();
  }

  SPEX_MEMBERS(nx, ny, value, weight)
};

}  // namespace spex
