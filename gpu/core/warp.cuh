// Sums over a warp or a part of a warp.
#pragma once

#include "gpu/core/launch.hpp"

namespace spex::gpu {

/// The sum over the aligned group of `width` lanes (a power of two) that contains the caller, for
/// all lanes of the group. Other lanes of the warp need not participate. For one-dimensional
/// blocks.
template <int width>
__device__ double group_sum(double v) {
  const unsigned first = threadIdx.x % warp_size / width * width;
  const unsigned lanes = 0xffffffffU >> (warp_size - width) << first;
  for (int offset = width / 2; offset > 0; offset /= 2) v += __shfl_xor_sync(lanes, v, offset);
  return v;
}

/// The sum over all lanes in a fixed order, for all lanes.
__device__ inline double warp_sum(double v) {
  return group_sum<warp_size>(v);
}

}  // namespace spex::gpu
