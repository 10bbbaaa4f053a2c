// Device functions for the prior of a patch's bins (extraction.md, section 4).
#pragma once

#include "gpu/core/block.cuh"
#include "gpu/extract/batch/bins.hpp"
#include "reference/extract/prior.hpp"

namespace spex::gpu {

/// 1e-4 of the largest q of a patch: bins with less see hardly any light. Called by a whole block
/// of `threads` threads, a power of two; the result is valid in all threads.
template <int threads>
__device__ double prior_scale(const PatchGeometry& patch, const BinStrides& strides,
                              const double* q) {
  double mine = 0;
  for (int j = static_cast<int>(threadIdx.x); j < patch.n(); j += threads)
    mine = fmax(mine, q[strides.bin(j / patch.nwave, j % patch.nwave)]);
  return 1e-4 * merge_block<threads>(mine, [](double a, double b) { return fmax(a, b); });
}

}  // namespace spex::gpu
