// The pixel rows that a patch uses (extraction.md, section 3). One source for host and device.
#pragma once

#include "reference/core/host_device.hpp"

namespace spex {

/// lo and hi of a patch's used rows from the rows [ypadmin, ypadmax) of all padded bins and
/// [ymin, ymax) of the padded fibers' core wavelengths, before the cut to the CCD; in double
/// arithmetic exactly as written, int() cutting toward zero.
struct RowRange {
  int lo = 0;  ///< first row
  int hi = 0;  ///< one past the last
};
/// The used rows; see RowRange.
[[nodiscard]] SPEX_HD inline RowRange used_rows(int ypadmin, int ypadmax, int ymin, int ymax,
                                                double pixpad_frac) {
  return {ypadmin + static_cast<int>((ymin - ypadmin) * (1 - pixpad_frac)),
          ypadmin + static_cast<int>((ymax - ypadmin) + (ypadmax - ymax) * pixpad_frac)};
}

}  // namespace spex
