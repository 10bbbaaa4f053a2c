// Two frames whose flux is made of different f (extraction.md, section 5.2): where they differ.
#pragma once

#include <optional>
#include <string>

#include "reference/compare/frame_file.hpp"

namespace spex {

/// How two frames differ of which one has the flux of patches and one that of the whole frame.
struct FluxSolvers {
  std::string result;       ///< "frame" or "patch"
  std::string expected;     ///< the other
  long long nwavestep = 0;  ///< bins from one edge of a patch to the next; 0 where it is not known
  double at_edges = 0;      ///< rms flux pull in the two bins beside an edge
  double elsewhere = 0;     ///< and in all others
};

/// Nothing where both are of one kind. The frames have `shape`; pulls are those of bins that have
/// ivar > 0 in both, by the expected ivar.
[[nodiscard]] std::optional<FluxSolvers> compare_flux_solvers(const FrameFile& result,
                                                              const FrameFile& expected,
                                                              const FrameShape& shape);

}  // namespace spex
