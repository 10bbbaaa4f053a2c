// Reductions over a thread block.
#pragma once

#include "gpu/core/launch.hpp"

namespace spex::gpu {

/// Combines the values of all threads of a one-dimensional block of `threads`, a power of two, by
/// `merge`; all threads get the result. `merge` must be commutative and associative, such as a
/// maximum.
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
