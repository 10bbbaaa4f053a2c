// Which bins and columns of a row of pixels the spots of one fiber cover (extraction.md, section
// 4).
#pragma once

#include <climits>
#include <vector>

#include "reference/layout/patches.hpp"
#include "reference/psf/spots.hpp"

namespace spex {

/// The spots of one fiber at consecutive bins, within spots of a larger range.
struct FiberSpots {
  const Spots* spots = nullptr;  ///< a larger range that holds the fiber's
  int s = 0;                     ///< the fiber's index in it
  int wave0 = 0;                 ///< index in it of the first bin
  int nwave = 0;                 ///< bins

  /// Pixels of the spot of bin w.
  [[nodiscard]] const double* spot(int w) const { return spots->spot(s, wave0 + w); }
  /// Its first column on the CCD.
  [[nodiscard]] int xc(int w) const { return spots->xc[spots->index(s, wave0 + w)]; }
  /// Its first row on the CCD.
  [[nodiscard]] int yc(int w) const { return spots->yc[spots->index(s, wave0 + w)]; }
};

/// What a fiber covers of one row of pixels: its spots of other bins and its other columns are
/// zeros there.
struct RowCover {
  int w0 = INT_MAX;  ///< first bin
  int w1 = INT_MIN;  ///< one past the last
  int x0 = INT_MAX;  ///< first column of the CCD
  int x1 = INT_MIN;  ///< one past the last

  /// Columns; 0 where no spot reaches the row.
  [[nodiscard]] int columns() const { return x0 < x1 ? x1 - x0 : 0; }
  /// Bins; 0 where no spot reaches the row.
  [[nodiscard]] int bins() const { return w0 < w1 ? w1 - w0 : 0; }
};

/// The cover of each row of `range`, from below.
[[nodiscard]] std::vector<RowCover> row_covers(const FiberSpots& spots, const PixelRange& range);

/// No bins of two fibers that share a pixel are farther apart than this; -1 where none does.
[[nodiscard]] int reach_of(const std::vector<RowCover>& s, const std::vector<RowCover>& t);

}  // namespace spex
