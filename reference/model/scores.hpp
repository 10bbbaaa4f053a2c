// SCORES of a frame (extraction.md, section 7): plain data.
#pragma once

#include <vector>

namespace spex {

/// A number a fiber, [nspec]. The units are production's own, odd as they are, so that the numbers
/// compare.
struct Scores {
  std::vector<double> sum_raw_count;     ///< sum of flux
  std::vector<double> median_raw_count;  ///< median of flux / dw
  std::vector<double> median_raw_snr;    ///< median of sqrt(ivar) flux / sqrt(dw)
};

}  // namespace spex
