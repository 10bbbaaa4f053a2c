// Symmetric P x P matrices in shared memory, of which each warp of a block computes a tile with
// FP64 tensor cores.
#pragma once

#include <cmath>

#include "gpu/core/tensor.cuh"
#include "gpu/core/warp.cuh"

namespace spex::gpu::symmetric_tiles {

/// A warp computes a 16 x 16 tile of a symmetric P x P product, on or below the diagonal.
template <int P>
constexpr int tiles = P / 16;
template <int P>
constexpr int warps = tiles<P>*(tiles<P> + 1) / 2;
template <int P>
constexpr int threads = warps<P>* warp_size;

/// Leading dimension in shared memory: rows start 32 bytes apart in the banks, so that the rows of
/// a fragment do not collide.
template <int P>
constexpr int leading = P + 4;

struct Tile {
  int row0, col0;
};
/// The warp's tile, row0 >= col0.
template <int P>
__device__ Tile my_tile() {
  int row = 0, left = threadIdx.x / warp_size;
  while (left > row) {
    left -= row + 1;
    ++row;
  }
  return {16 * row, 16 * left};
}

/// A tile's numbers: 2 x 2 fragments of 8 x 8, two numbers per lane each.
struct Fragment {
  double v[2][2][2] = {};
};

/// sum += the tile of L R, with L(row, k) and R(k, column) for k < depth, a multiple of 4.
template <class Left, class Right>
__device__ void multiply(const Tile& tile, int depth, const Left& L, const Right& R,
                         Fragment& sum) {
  const auto [g, t] = fragment_lane();
#pragma unroll 4
  for (int k = 0; k < depth; k += 4) {
    double a[2], b[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      a[i] = L(tile.row0 + 8 * i + g, k + t);
      b[i] = R(k + t, tile.col0 + 8 * i + g);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) multiply_add(a[i], b[j], sum.v[i][j][0], sum.v[i][j][1]);
  }
}

/// Calls visit(row, column, value) for this lane's numbers of the tile.
template <class Visit>
__device__ void for_each(const Tile& tile, Fragment& sum, const Visit& visit) {
  const auto [g, t] = fragment_lane();
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int k = 0; k < 2; ++k)
        visit(tile.row0 + 8 * i + g, tile.col0 + 8 * j + 2 * t + k, sum.v[i][j][k]);
}

/// Writes the tile and its mirror image.
template <int P>
__device__ void store_symmetric(const Tile& tile, Fragment& sum, double* S) {
  for_each(tile, sum, [&](int row, int column, double value) {
    if (row < column) return;  // the upper half of a diagonal tile
    S[row * leading<P> + column] = value;
    S[column * leading<P> + row] = value;
  });
}

/// The maximum over all threads, for all threads; NaN counts as infinity.
template <int P>
__device__ double block_max(double value, double* of_warps) {
  if (isnan(value)) value = INFINITY;
  for (int offset = warp_size / 2; offset > 0; offset /= 2)
    value = fmax(value, __shfl_xor_sync(0xffffffffU, value, offset));
  __syncthreads();
  if (threadIdx.x % warp_size == 0) of_warps[threadIdx.x / warp_size] = value;
  __syncthreads();
  double largest = 0;
  for (int w = 0; w < warps<P>; ++w) largest = fmax(largest, of_warps[w]);
  return largest;
}

/// The infinity norm of the first m rows.
template <int P>
__device__ double infinity_norm(const double* S, int m, double* of_warps) {
  double largest = 0;
  for (int row = threadIdx.x; row < m; row += threads<P>) {
    double sum = 0;
    for (int k = 0; k < m; ++k) sum += fabs(S[row * leading<P> + k]);
    largest = isnan(sum) ? INFINITY : fmax(largest, sum);
  }
  return block_max<P>(largest, of_warps);
}

}  // namespace spex::gpu::symmetric_tiles
