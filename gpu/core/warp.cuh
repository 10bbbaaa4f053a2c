// Sums over a warp.
#pragma once

#include "gpu/core/launch.hpp"

namespace spex::gpu {

/// The sum of all lanes' values, in an order that is always the same, for all lanes.
__device__ inline double warp_sum(double v) {
  for (int offset = warp_size / 2; offset > 0; offset /= 2)
    v += __shfl_xor_sync(0xffffffffU, v, offset);
  return v;
}

}  // namespace spex::gpu
