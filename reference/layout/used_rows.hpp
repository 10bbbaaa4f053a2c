// The pixel rows that a patch uses (extraction.md, section 3). One source for host and device.
#pragma once

#include "reference/core/host_device.hpp"

namespace spex {

/// The used rows of a patch before clipping to the CCD, computed from the rows [ypadmin, ypadmax)
/// of all padded bins and [ymin, ymax) of the padded fibers' core wavelengths.
struct RowRange {
  int lo = 0;  ///< first row
  int hi = 0;  ///< one past the last
};
/// Computes the used rows in double arithmetic exactly as written; int() truncates.
[[nodiscard]] SPEX_HD inline RowRange used_rows(int ypadmin, int ypadmax, int ymin, int ymax,
                                                double pixpad_frac) {
  return {ypadmin + static_cast<int>((ymin - ypadmin) * (1 - pixpad_frac)),
          ypadmin + static_cast<int>((ymax - ypadmin) + (ypadmax - ymax) * pixpad_frac)};
}

}  // namespace spex
