// Sums over a warp, and over parts of it.
#pragma once

#include "gpu/core/launch.hpp"

namespace spex::gpu {

/// The sum of the values of the `width` lanes, a power of two, that the caller is one of, for all
/// of them. Other lanes of the warp need not come here. For blocks of one dimension.
template <int width>
__device__ double group_sum(double v) {
  const unsigned first = threadIdx.x % warp_size / width * width;
  const unsigned lanes = 0xffffffffU >> (warp_size - width) << first;
  for (int offset = width / 2; offset > 0; offset /= 2) v += __shfl_xor_sync(lanes, v, offset);
  return v;
}

/// The sum of all lanes' values, in an order that is always the same, for all lanes.
__device__ inline double warp_sum(double v) {
  return group_sum<warp_size>(v);
}

}  // namespace spex::gpu
