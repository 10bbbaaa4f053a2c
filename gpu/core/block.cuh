// Reductions over a thread block.
#pragma once

#include <cub/block/block_reduce.cuh>

#include "gpu/core/launch.hpp"

namespace spex::gpu {

/// Combines the values of all threads of a one-dimensional block of `threads` by `merge`, in a
/// fixed order; all threads get the result. `merge` must be associative.
template <int threads, class T, class Merge>
__device__ T merge_block(const T& mine, const Merge& merge) {
  using Reduce = cub::BlockReduce<T, threads>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ T all;
  const T merged = Reduce(storage).Reduce(mine, merge);
  if (threadIdx.x == 0) all = merged;
  __syncthreads();
  const T result = all;
  __syncthreads();  // the next call overwrites `all`
  return result;
}

}  // namespace spex::gpu
