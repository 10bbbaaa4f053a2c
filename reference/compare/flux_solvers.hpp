// Compares frames with different flux solvers (extraction.md, section 5.2).
#pragma once

#include <optional>
#include <string>

#include "reference/compare/frame_file.hpp"

namespace spex {

/// Differences of two frames, one with the flux of patches and one with the flux of the whole
/// frame.
struct FluxSolvers {
  std::string result;       ///< "frame" or "patch"
  std::string expected;     ///< the other of the two
  long long nwavestep = 0;  ///< distance of patch edges in bins; 0 if unknown
  double at_edges = 0;      ///< rms flux pull in the two bins next to an edge
  double elsewhere = 0;     ///< rms flux pull in all other bins
};

/// Nothing if both frames have the same flux solver. Both frames have `shape`. Pulls use the
/// expected ivar, in bins with ivar > 0 in both frames.
[[nodiscard]] std::optional<FluxSolvers> compare_flux_solvers(const FrameFile& result,
                                                              const FrameFile& expected,
                                                              const FrameShape& shape);

}  // namespace spex
