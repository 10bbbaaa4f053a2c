// Spots of any size and with tails on the GPU (extraction.md, section 2); the counterpart of
// reference/psf/spots.hpp.
#pragma once

#include "gpu/psf/spots.hpp"

namespace spex::gpu {

/// Computes the spots as evaluate_spots, with the same bits, but more slowly for small ones. One
/// warp per spot.
void evaluate_large_spots(const DevicePsf& psf, const FiberBins& of, double* value, float* rims,
                          cudaStream_t stream);

}  // namespace spex::gpu
