// SCORES of a frame (extraction.md, section 7).
#pragma once

#include <string>
#include <vector>

#include "reference/model/frame.hpp"

namespace spex {

/// A number a fiber, [nspec]. The units are production's own, odd as they are, so that the numbers
/// compare.
struct Scores {
  std::vector<double> sum_raw_count;     ///< sum of flux
  std::vector<double> median_raw_count;  ///< median of flux / dw
  std::vector<double> median_raw_snr;    ///< median of sqrt(ivar) flux / sqrt(dw)
};

/// Scores within the window of the camera, whose name starts with its letter: b [4000, 5800),
/// r [5800, 7600), z [7600, 9800) Angstrom; for any other letter all wavelengths. A window without
/// bins gives zeros.
[[nodiscard]] Scores compute_scores(const Frame& frame, const std::string& camera);

}  // namespace spex
