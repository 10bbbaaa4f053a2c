#include <cuda_pipeline.h>

#include "gpu/core/launch.hpp"
#include "gpu/core/tensor.cuh"
#include "gpu/core/warp.cuh"
#include "gpu/extract/fibers/fiber_cholesky_solve.hpp"
#include "gpu/extract/fibers/fiber_substitution.cuh"
#include "gpu/extract/normal_equations/fiber_reach.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int sides = 2;   // the neighbors s - 1 and s + 1
constexpr int block = 16;  // rows and columns of D that a warp computes together

// Row stride of V: 4 times an odd number, so that products read fragments without bank conflicts.
__host__ __device__ constexpr int row_stride(int m) {
  return (m + 3) / 8 * 8 + 4;
}
__host__ __device__ constexpr int padded_rows(int m) {
  return (m + 3) / 4 * 4;
}
// Shared memory of complement_kernel per side: V, the roots of t, and the factor of t.
__host__ __device__ constexpr int complement_numbers(int R, int m) {
  return sides * (padded_rows(m) * row_stride(m) + m + m * (R + 1));
}
static_assert(complement_numbers(largest_fiber_reach, largest_fiber_bins) * sizeof(double) <=
              smallest_shared_memory);
constexpr int max_blocks = largest_fiber_bins / block * (largest_fiber_bins / block + 1) / 2;
constexpr int blocks_of_warp = 2;
static_assert(largest_fiber_bins % block == 0 && max_blocks <= blocks_of_warp * warps);
// Each warp solves for 32 columns of a side.
constexpr int warps_of_side = warps / sides;
static_assert(largest_fiber_bins <= warps_of_side * warp_size);

// The first row of V, in steps of four, in which columns from `column` on are nonzero.
__device__ constexpr int first_row(int R, int column) {
  return column <= R ? 0 : (column - R) / 4 * 4;
}

// Shared memory of complement_kernel for both neighbors t of s.
template <int R>
struct Neighbors {
  const FiberLayout* layout;
  int s, nspec;
  double* shared;

  __device__ bool exists(int side) const { return side == 0 ? s > 0 : s + 1 < nspec; }
  __device__ int m() const { return layout->nwave; }
  __device__ int ld() const { return row_stride(m()); }
  // V = L_t^-1 N_ts, [padded rows][ld]. Products may read beyond the columns; those results are
  // unused.
  __device__ double* V(int side) const { return shared + side * padded_rows(m()) * ld(); }
  // 1 / sqrt(d) for the rows of t.
  __device__ double* root(int side) const { return V(sides) + side * m(); }
  // 1 / d and L of t.
  __device__ double* factor(int side) const { return root(sides) + side * layout->band_size(); }
};

// Prefetches N_ts into V, and the factor of t, for both sides.
template <int R>
__device__ void prefetch_neighbors(const Neighbors<R>& my, const double* pair,
                                   const double* factors) {
  const int m = my.m(), ld = my.ld();
  for (int side = 0; side < sides; ++side) {
    if (!my.exists(side)) continue;
    const int size = my.layout->band_size();
    const double* of_t = factors + (my.s - 1 + 2 * side) * size;
    double* factor = my.factor(side);
    for (int k = threadIdx.x; k < size; k += threads)
      __pipeline_memcpy_async(factor + k, of_t + k, sizeof(double));
    // Blocks are stored with the rows of the higher spectrum: for s - 1 the stored block is N_st.
    const double* block_of_pair =
        pair + static_cast<size_t>(my.s - 1 + side) * my.layout->pair_size();
    double* V = my.V(side);
    for (int k = threadIdx.x; k < my.layout->pair_size(); k += threads) {
      const int column = k / (2 * R + 1), row = column - R + k % (2 * R + 1);
      if (row >= 0 && row < m)
        __pipeline_memcpy_async(V + (side == 1 ? row * ld + column : column * ld + row),
                                block_of_pair + k, sizeof(double));
    }
  }
}

// Computes V of both sides, by the whole block: one thread per column, down to its last nonzero
// row.
template <int R>
__device__ void half_solves(const Neighbors<R>& my, const double* pair, const double* factors) {
  const int m = my.m(), ld = my.ld();
  prefetch_neighbors<R>(my, pair, factors);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int side = 0; side < sides; ++side) {
    if (!my.exists(side)) continue;
    for (int w = threadIdx.x; w < m; w += threads)
      my.root(side)[w] = sqrt(my.factor(side)[w * (R + 1)]);
    for (int k = m * ld + threadIdx.x; k < padded_rows(m) * ld; k += threads) my.V(side)[k] = 0;
  }
  __syncthreads();
  const int warp = threadIdx.x / warp_size;
  const int side = warp / warps_of_side;
  const int first = warp % warps_of_side * warp_size;
  const int j = first + threadIdx.x % warp_size;
  if (my.exists(side) && j < m) {
    double* column = my.V(side) + j;
    const double* root = my.root(side);
    forward<R>(
        first_row(R, first), m, my.factor(side),
        [&](int w) { return abs(w - j) <= R ? column[w * ld] : 0.0; },
        [&](int w, double x) { column[w * ld] = x * root[w]; });
  }
  __syncthreads();
}

// The sum over the block, for all threads.
__device__ double block_sum(double value, double (&of_warp)[warps]) {
  value = warp_sum(value);
  __syncthreads();
  if (threadIdx.x % warp_size == 0) of_warp[threadIdx.x / warp_size] = value;
  __syncthreads();
  double sum = 0;
  for (int w = 0; w < warps; ++w) sum += of_warp[w];
  return sum;
}

// D = sum over both neighbors t of V^T V, V = L_t^-1 N_ts. rho^2 of both together is tr(N_ss^-1 D).
// First an upper bound is checked: the band of N_ss^-1 is known, and its other elements are bounded
// by the roots of its diagonal. Only if the bound exceeds the limit of rho, rho is computed as the
// norm of L_s^-1 V^T.
template <int R>
__global__ void __launch_bounds__(threads, 2)
    complement_kernel(const PatchGeometry* patches, const CoreSpectrum* cores, FiberLayout layout,
                      FiberBands bands, FiberSolution solution, SchurComplements complements,
                      int* status) {
  extern __shared__ double shared[];
  __shared__ double of_row[largest_fiber_bins];
  __shared__ double root_of_inverse[largest_fiber_bins];
  __shared__ double f[largest_fiber_bins];
  __shared__ double of_warp[warps];
  const CoreSpectrum core = cores[blockIdx.x];
  const PatchGeometry& patch = patches[core.patch];
  const int m = layout.nwave;
  const Neighbors<R> my{&layout, patch.pad_below + core.s, patch.nspec, shared};
  const int ld = my.ld();
  const size_t first = static_cast<size_t>(core.patch) * layout.nslots;
  const size_t slot = first + my.s;
  const double* pair = bands.pair + first * layout.pair_size();
  const double* factors = solution.factor + first * layout.band_size();
  const int warp = threadIdx.x / warp_size;
  const int lane = threadIdx.x % warp_size;
  half_solves<R>(my, pair, factors);

  // The factors have done their part.
  double* N = my.factor(0);
  double* inverse = my.factor(1);
  for (int k = threadIdx.x; k < layout.band_size(); k += threads) {
    __pipeline_memcpy_async(N + k, bands.band + slot * layout.band_size() + k, sizeof(double));
    __pipeline_memcpy_async(inverse + k, solution.inverse + slot * layout.band_size() + k,
                            sizeof(double));
  }
  for (int j = threadIdx.x; j < m; j += threads)
    __pipeline_memcpy_async(f + j, solution.f + slot * m + j, sizeof(double));
  __pipeline_commit();

  // Lower blocks of D; blocks farther down involve fewer rows of V. For balance, warps take pairs:
  // the first and the last block, the second and the last but one, and so on.
  const FragmentLane at = fragment_lane();
  int row_of_block[blocks_of_warp], column_of_block[blocks_of_warp];
  double c[blocks_of_warp][2][4] = {};  // for each eight columns
#pragma unroll
  for (int k = 0; k < blocks_of_warp; ++k) {
    const int number = k % 2 == 0 ? k * warps + warp : (k + 1) * warps - 1 - warp;
    int row = 0;  // in blocks; row (row + 1) / 2 blocks come before this row
    while ((row + 1) * (row + 2) / 2 <= number) ++row;
    row_of_block[k] = row * block;
    column_of_block[k] = (number - row * (row + 1) / 2) * block;
    if (row_of_block[k] >= m) continue;
    for (int side = 0; side < sides; ++side) {
      if (!my.exists(side)) continue;
      const double* V = my.V(side) + at.g;
#pragma unroll 4
      for (int w = first_row(R, row_of_block[k]) + at.t; w < padded_rows(m); w += 4) {
        const double* rows = V + w * ld + row_of_block[k];
        const double* columns = V + w * ld + column_of_block[k];
#pragma unroll
        for (int h = 0; h < 2; ++h) multiply_add(rows[0], rows[8], columns[8 * h], c[k][h]);
      }
    }
  }
  __pipeline_wait_prior(0);
  __syncthreads();

  // D, both triangles, overwrites V.
  double* D = my.V(0);
#pragma unroll
  for (int k = 0; k < blocks_of_warp; ++k)
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int i = row_of_block[k] + at.g + e / 2 * 8;
        const int j = column_of_block[k] + h * 8 + 2 * at.t + e % 2;
        if (i < m && j <= i) D[i * ld + j] = D[j * ld + i] = c[k][h][e];
      }
  __syncthreads();

  const auto P = [&](int j, int d) { return N[j * (R + 1) + d] - D[j * ld + j + d]; };
  double* band =
      complements.band + static_cast<size_t>(blockIdx.x) * SchurComplements::band_size(layout);
  for (int k = threadIdx.x; k < SchurComplements::band_size(layout); k += threads) {
    const int j = k / (R + 1), d = k % (R + 1);
    band[k] = j + d < m ? P(j, d) : 0.0;
  }
  if (threadIdx.x < m) {
    const int j = threadIdx.x;
    root_of_inverse[j] = sqrt(inverse[j * (R + 1)]);
    double sum = fabs(P(j, 0));
    for (int d = 1; d <= R; ++d) {
      if (j + d < m) sum += fabs(P(j, d));
      if (j >= d) sum += fabs(P(j - d, d));
    }
    of_row[j] = sum;
  } else if (const int j = threadIdx.x - threads / 2; j >= 0 && j < m) {
    double y = solution.g[slot * m + j];
#pragma unroll 8
    for (int k = 0; k < m; ++k) y -= D[k * ld + j] * f[k];
    complements.y[static_cast<size_t>(blockIdx.x) * m + j] = y;
  }
  __syncthreads();
  if (warp == 0) {
    double norm = 0;
    for (int j = lane; j < m; j += warp_size) norm = fmax(norm, of_row[j]);
    for (int offset = warp_size / 2; offset > 0; offset /= 2)
      norm = fmax(norm, __shfl_xor_sync(0xffffffffU, norm, offset));
    if (lane == 0) complements.norm[blockIdx.x] = norm;
  }
  float* E = complements.outside + static_cast<size_t>(blockIdx.x) * m * m;
  double bound = 0;
  for (int i = warp; i < m; i += warps)
    for (int j = lane; j < m; j += warp_size) {
      const double d = D[i * ld + j];
      const int apart = abs(i - j);
      E[i * m + j] = apart > R ? static_cast<float>(d) : 0.0F;
      bound += apart > R ? fabs(d) * (root_of_inverse[i] * root_of_inverse[j])
                         : inverse[min(i, j) * (R + 1) + apart] * d;
    }

  constexpr double most = fiber_bounds::coupling * fiber_bounds::coupling;
  if (block_sum(bound, of_warp) <= most) return;

  half_solves<R>(my, pair, factors);
  const int side = warp / warps_of_side;
  const int row = warp % warps_of_side * warp_size + lane;
  double square = 0;
  if (my.exists(side) && row < m) {
    const double* own = factors + my.s * layout.band_size();
    const double* V = my.V(side) + row * ld;
    forward<R>(
        0, m, own, [&](int v) { return v - R <= row ? V[v] : 0.0; },
        [&](int v, double x) { square += x * x * own[v * (R + 1)]; });
  }
  for (int k = 0; k < sides; ++k)
    if (!(block_sum(k == side ? square : 0.0, of_warp) <= most) && threadIdx.x == 0)
      status[core.patch] = guarded;
}

}  // namespace

void find_complements(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                      const FiberLayout& layout, const FiberBands& bands,
                      const FiberSolution& solution, const SchurComplements& complements,
                      int* status, cudaStream_t stream) {
  const std::size_t bytes =
      static_cast<std::size_t>(complement_numbers(layout.reach, layout.nwave)) * sizeof(double);
  with_reach(layout.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(complement_kernel<R>));
    complement_kernel<R><<<ncores, threads, bytes, stream>>>(patches, cores, layout, bands,
                                                             solution, complements, status);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
