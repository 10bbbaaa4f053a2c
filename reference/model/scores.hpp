// SCORES of a frame (extraction.md, section 7): plain data.
#pragma once

#include <vector>

namespace spex {

/// One number per fiber, [nspec]. The units are production's, although inconsistent, so that
/// results are comparable.
struct Scores {
  std::vector<double> sum_raw_count;     ///< sum of flux
  std::vector<double> median_raw_count;  ///< median of flux / dw
  std::vector<double> median_raw_snr;    ///< median of sqrt(ivar) flux / sqrt(dw)
};

}  // namespace spex
