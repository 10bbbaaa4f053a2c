#include <cuda_pipeline.h>

#include "gpu/core/block.cuh"
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

// The lower blocks of D that a warp computes. Blocks farther down involve fewer rows of V. For
// balance, warps take pairs: the first and the last block, the second and the last but one, and so
// on.
struct WarpBlocks {
  int row[blocks_of_warp], column[blocks_of_warp];
  double c[blocks_of_warp][2][4] = {};  // for each eight columns

  __device__ WarpBlocks() {
    const int warp = threadIdx.x / warp_size;
#pragma unroll
    for (int k = 0; k < blocks_of_warp; ++k) {
      const int number = k % 2 == 0 ? k * warps + warp : (k + 1) * warps - 1 - warp;
      int i = 0;  // in blocks; i (i + 1) / 2 blocks come before this row
      while ((i + 1) * (i + 2) / 2 <= number) ++i;
      row[k] = i * block;
      column[k] = (number - i * (i + 1) / 2) * block;
    }
  }
};

// D = sum over both neighbors t of V^T V.
template <int R>
__device__ void multiply(const Neighbors<R>& my, WarpBlocks& of) {
  const FragmentLane at = fragment_lane();
  const int m = my.m(), ld = my.ld();
#pragma unroll
  for (int k = 0; k < blocks_of_warp; ++k) {
    if (of.row[k] >= m) continue;
    for (int side = 0; side < sides; ++side) {
      if (!my.exists(side)) continue;
      const double* V = my.V(side) + at.g;
#pragma unroll 4
      for (int w = first_row(R, of.row[k]) + at.t; w < padded_rows(m); w += 4) {
        const double* rows = V + w * ld + of.row[k];
        const double* columns = V + w * ld + of.column[k];
#pragma unroll
        for (int h = 0; h < 2; ++h) multiply_add(rows[0], rows[8], columns[8 * h], of.c[k][h]);
      }
    }
  }
}

// Both triangles of D.
__device__ void store_blocks(const WarpBlocks& of, int m, int ld, double* D) {
  const FragmentLane at = fragment_lane();
#pragma unroll
  for (int k = 0; k < blocks_of_warp; ++k)
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int i = of.row[k] + at.g + e / 2 * 8;
        const int j = of.column[k] + h * 8 + 2 * at.t + e % 2;
        if (i < m && j <= i) D[i * ld + j] = D[j * ld + i] = of.c[k][h][e];
      }
}

// P_s of spectrum blockIdx.x from D and the bands of N_ss and its inverse, in shared memory.
template <int R>
struct Complement {
  int m, ld;
  const double* D;        // [m][ld]
  const double* N;        // [m][R + 1]
  const double* inverse;  // [m][R + 1]
  const double* f;        // [m]

  // Element (j + d, j) of the band.
  __device__ double P(int j, int d) const { return N[j * (R + 1) + d] - D[j * ld + j + d]; }
  __device__ double row_norm(int j) const {
    double sum = fabs(P(j, 0));
    for (int d = 1; d <= R; ++d) {
      if (j + d < m) sum += fabs(P(j, d));
      if (j >= d) sum += fabs(P(j - d, d));
    }
    return sum;
  }
  // y - D f, row j.
  __device__ double right_side(int j, double y) const {
#pragma unroll 8
    for (int k = 0; k < m; ++k) y -= D[k * ld + j] * f[k];
    return y;
  }
};

// Numbers of a complement that its threads compute in parts.
struct Norms {
  double of_P = 0;      // the largest row sum of |P_b|
  double of_E = 0;      // the sum of E's squares
  double coupling = 0;  // an upper bound of tr(N_ss^-1 D)
};

// Stores E. Adds the thread's parts to `norms`: of N_ss^-1 the band is known, and its other
// elements are bounded by the roots of its diagonal, `root`.
template <int R>
__device__ void store_E(const Complement<R>& my, const double* root, float* E, Norms& norms) {
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const int m = my.m, stride = fiber_roots::stride_of_E(m);
  for (int i = warp; i < m; i += warps)
    for (int j = lane; j < m; j += warp_size) {
      const double d = my.D[i * my.ld + j];
      const int apart = abs(i - j);
      const double outside = apart > R ? d : 0.0;
      E[i * stride + j] = static_cast<float>(outside);
      norms.of_E += outside * outside;
      norms.coupling +=
          apart > R ? fabs(d) * (root[i] * root[j]) : my.inverse[min(i, j) * (R + 1) + apart] * d;
    }
  for (int k = threadIdx.x; k < m * (stride - m); k += threads)
    E[k / (stride - m) * stride + m + k % (stride - m)] = 0;
}

__device__ double block_sum(double value) {
  return merge_block<threads>(value, [](double a, double b) { return a + b; });
}

// Whether rho of each side, the norm of L_s^-1 V^T, is within its bound; V of both sides is in
// shared memory.
template <int R>
__device__ bool couplings_within(const Neighbors<R>& my, const double* factors) {
  const int m = my.m();
  const int warp = threadIdx.x / warp_size;
  const int side = warp / warps_of_side;
  const int row = warp % warps_of_side * warp_size + threadIdx.x % warp_size;
  double square = 0;
  if (my.exists(side) && row < m) {
    const double* own = factors + my.s * my.layout->band_size();
    const double* V = my.V(side) + row * my.ld();
    forward<R>(
        0, m, own, [&](int v) { return v - R <= row ? V[v] : 0.0; },
        [&](int v, double x) { square += x * x * own[v * (R + 1)]; });
  }
  constexpr double most = fiber_bounds::coupling * fiber_bounds::coupling;
  bool within = true;
  for (int k = 0; k < sides; ++k) within = block_sum(k == side ? square : 0.0) <= most && within;
  return within;
}

// What complement_kernel takes of a batch. Less than a FiberBatch, which would cost registers.
struct CoreFibers {
  const PatchGeometry* patches;
  const CoreSpectrum* cores;
  FiberLayout layout;
  FiberBands bands;
  int* status;
};

// D = sum over both neighbors t of V^T V, V = L_t^-1 N_ts. rho^2 of both together is tr(N_ss^-1 D).
// Only if an upper bound of it exceeds the limit of rho, rho is computed.
template <int R>
__global__ void __launch_bounds__(threads, 2)
    complement_kernel(CoreFibers batch, FiberSolution solution, SchurComplements complements) {
  extern __shared__ double shared[];
  __shared__ double root_of_inverse[largest_fiber_bins];
  __shared__ double f[largest_fiber_bins];
  const FiberLayout layout = batch.layout;
  const FiberBands bands = batch.bands;
  const CoreSpectrum core = batch.cores[blockIdx.x];
  const PatchGeometry& patch = batch.patches[core.patch];
  const int m = layout.nwave;
  const Neighbors<R> my{&layout, patch.pad_below + core.s, patch.nspec, shared};
  const size_t first = static_cast<size_t>(core.patch) * layout.nslots;
  const size_t slot = first + my.s;
  const double* pair = bands.pair + first * layout.pair_size();
  const double* factors = solution.factor + first * layout.band_size();
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
  WarpBlocks blocks;
  multiply<R>(my, blocks);
  __pipeline_wait_prior(0);
  __syncthreads();
  double* D = my.V(0);  // overwrites V
  store_blocks(blocks, m, my.ld(), D);
  __syncthreads();

  const Complement<R> complement{m, my.ld(), D, N, inverse, f};
  double* band =
      complements.band + static_cast<size_t>(blockIdx.x) * SchurComplements::band_size(layout);
  for (int k = threadIdx.x; k < SchurComplements::band_size(layout); k += threads) {
    const int j = k / (R + 1), d = k % (R + 1);
    band[k] = j + d < m ? complement.P(j, d) : 0.0;
  }
  Norms mine;
  if (const int j = threadIdx.x; j < m) {
    root_of_inverse[j] = sqrt(inverse[j * (R + 1)]);
    mine.of_P = complement.row_norm(j);
  } else if (const int row = threadIdx.x - threads / 2; row >= 0 && row < m) {
    complements.y[static_cast<size_t>(blockIdx.x) * m + row] =
        complement.right_side(row, solution.g[slot * m + row]);
  }
  __syncthreads();
  store_E<R>(
      complement, root_of_inverse,
      complements.outside + static_cast<size_t>(blockIdx.x) * m * fiber_roots::stride_of_E(m),
      mine);
  const Norms norms = merge_block<threads>(mine, [](const Norms& a, const Norms& b) {
    return Norms{fmax(a.of_P, b.of_P), a.of_E + b.of_E, a.coupling + b.coupling};
  });
  if (threadIdx.x == 0) {
    complements.norm[blockIdx.x] = norms.of_P;
    complements.norm_of_E[blockIdx.x] = sqrt(norms.of_E);
  }
  constexpr double most = fiber_bounds::coupling * fiber_bounds::coupling;
  if (norms.coupling <= most) return;
  half_solves<R>(my, pair, factors);
  if (!couplings_within<R>(my, factors) && threadIdx.x == 0) batch.status[core.patch] = guarded;
}

}  // namespace

void find_complements(const FiberBatch& batch, const FiberSolution& solution,
                      const SchurComplements& complements, cudaStream_t stream) {
  const FiberLayout& layout = batch.layout;
  const std::size_t bytes =
      static_cast<std::size_t>(complement_numbers(layout.reach, layout.nwave)) * sizeof(double);
  with_reach(layout.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(complement_kernel<R>));
    complement_kernel<R><<<batch.ncores, threads, bytes, stream>>>(
        {batch.view.patches, batch.cores, layout, batch.bands, batch.view.status}, solution,
        complements);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
