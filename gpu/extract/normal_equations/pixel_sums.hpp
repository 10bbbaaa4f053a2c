// y, q and good of all bins on the GPU (extraction.md, section 4); the counterpart of
// reference/extract/normal_equations.hpp.
#pragma once

#include "gpu/extract/batch/bins.hpp"

namespace spex::gpu {

/// Computes y, q and good of all padded bins of `count` patches of at most `nmax` bins. One warp
/// per bin.
void project_pixels(const PatchGeometry* patches, int count, int nmax, const SpotsView& spots,
                    const PixelsView& pixels, const BinVectors& bins, cudaStream_t stream);

}  // namespace spex::gpu
