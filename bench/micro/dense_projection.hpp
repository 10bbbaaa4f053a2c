// The projection matrix of a patch, dense and whole: what the structured forms are measured
// against.
#pragma once

#include <vector>

#include "reference/extract/projection.hpp"

namespace spex::bench {

/// A of a patch, column-major, a row for each pixel of the range (rows first), zeros stored.
struct DenseProjection {
  int rows = 0;
  int columns = 0;
  std::vector<double> A;
};
/// All of A (docs/extraction.md, section 3) of a patch's spots on those pixels.
[[nodiscard]] DenseProjection make_dense_projection(const PatchSpots& spots,
                                                    const PixelRange& range);

}  // namespace spex::bench
