// Reductions over a block of threads.
#pragma once

#include "gpu/core/launch.hpp"

namespace spex::gpu {

/// `merge` of the values of all threads of a block of `threads`, a power of two, in one dimension;
/// the same for all of them. For values whose order does not show, as a largest.
template <int threads, class T, class Merge>
__device__ T merge_block(const T& mine, const Merge& merge) {
  __shared__ T all[threads];
  all[threadIdx.x] = mine;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) all[threadIdx.x] = merge(all[threadIdx.x], all[threadIdx.x + half]);
    __syncthreads();
  }
  return all[0];
}

}  // namespace spex::gpu
