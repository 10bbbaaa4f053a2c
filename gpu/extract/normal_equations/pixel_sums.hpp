// y, q and good of all bins on the GPU (extraction.md, section 4); the counterpart of
// reference/extract/normal_equations.hpp.
#pragma once

#include "gpu/extract/batch/batch_view.hpp"

namespace spex::gpu {

/// Computes y, q and good of all padded bins of a batch. One warp per bin.
void project_pixels(const BatchView& batch, const BinVectors& bins, cudaStream_t stream);

}  // namespace spex::gpu
