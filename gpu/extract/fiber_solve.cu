#include <algorithm>

#include "gpu/core/launch.hpp"
#include "gpu/core/tensor.cuh"
#include "gpu/extract/fiber_solve.hpp"
#include "gpu/extract/lane_band.cuh"
#include "gpu/extract/spot_device.cuh"
#include "reference/core/count.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int factor_threads = 64;
constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int solve_threads = fiber_solve_warps * warp_size;
constexpr int most_sweeps = 6;  // the reference's
// Errors, in units of 1 / sqrt(N_jj), below which a sweep has changed nothing that matters: the
// next one would change it by (2 rho)^2 of that, 0.01 at most.
constexpr double settled = 1e-11;

// A thread a spectrum.
template <int R>
__global__ void __launch_bounds__(factor_threads)
    factor_kernel(const PatchGeometry* patches, int count, FiberLayout layout, FiberBands bands,
                  FiberSolution solution, int* status) {
  const int k = blockIdx.x * factor_threads + threadIdx.x;
  if (k >= count * layout.nslots) return;
  const PatchGeometry& patch = patches[k / layout.nslots];
  if (k % layout.nslots >= patch.nspec) return;
  const int m = layout.nwave;
  const double* band = bands.band + static_cast<size_t>(k) * layout.band_size();
  double* factor = solution.factor + static_cast<size_t>(k) * layout.band_size();
  const bool good = factor_band<R>(
      m, [&](int j, int d) { return j + d < m ? band[j * (R + 1) + d] : 0.0; },
      [&](int j, const double(&l)[R + 1]) {
#pragma unroll
        for (int d = 0; d <= R; ++d) factor[j * (R + 1) + d] = l[d];
      });
  double trace = 0;
  invert_band<R>(
      m,
      [&](int j, double(&l)[R + 1]) {
#pragma unroll
        for (int d = 0; d <= R; ++d) l[d] = factor[j * (R + 1) + d];
      },
      [&](int, const double(&)[R + 1], const double(&z)[R + 1]) { trace += z[0]; });
  solution.trace[k] = trace;
  if (!good || !isfinite(trace)) status[k / layout.nslots] = guarded;
}

// x <- N_ss^-1 x by one warp; x in shared memory.
template <int R>
__device__ void solve_warp(int m, const double* factor, double* x) {
  const int lane = threadIdx.x % warp_size;
  for (int j = 0; j + 1 < m; ++j) {
    if (lane >= 1 && lane <= R && j + lane < m) x[j + lane] -= factor[j * (R + 1) + lane] * x[j];
    __syncwarp();
  }
  for (int j = lane; j < m; j += warp_size) x[j] *= factor[j * (R + 1)];
  __syncwarp();
  for (int j = m - 1; j > 0; --j) {
    if (lane >= 1 && lane <= R && j >= lane)
      x[j - lane] -= factor[(j - lane) * (R + 1) + lane] * x[j];
    __syncwarp();
  }
}

// What the neighbours of s hold of bin w: sum over t of N_st f_t.
template <int R>
__device__ double neighbours(const PatchGeometry& patch, const double* pair, int pair_size, int s,
                             int w, const double* f) {
  const int m = patch.nwave;
  double sum = 0;
  for (int v = max(0, w - R); v <= min(m - 1, w + R); ++v) {
    if (s > 0)
      sum += pair[static_cast<size_t>(s - 1) * pair_size + v * (2 * R + 1) + w - v + R] *
             f[(s - 1) * m + v];
    if (s + 1 < patch.nspec)
      sum += pair[static_cast<size_t>(s) * pair_size + w * (2 * R + 1) + v - w + R] *
             f[(s + 1) * m + v];
  }
  return sum;
}

// A block a patch. The factors are in shared memory where `staged`.
template <int R>
__global__ void __launch_bounds__(solve_threads)
    solve_kernel(const PatchGeometry* patches, FiberLayout layout, FiberBands bands,
                 FiberSolution solution, bool staged) {
  extern __shared__ double shared[];
  const PatchGeometry patch = patches[blockIdx.x];
  const int m = patch.nwave;
  const int warp = threadIdx.x / warp_size;
  const int lane = threadIdx.x % warp_size;
  double* f = shared;                                 // [nslots][m]
  double* x = shared + layout.nslots * m + warp * m;  // of the warp
  const size_t first = static_cast<size_t>(blockIdx.x) * layout.nslots;
  const double* band = bands.band + first * layout.band_size();
  const double* pair = bands.pair + first * layout.pair_size();
  const double* factor = solution.factor + first * layout.band_size();
  double* y = solution.f + first * m;
  if (staged) {
    double* copy = shared + (layout.nslots + fiber_solve_warps) * m;
    for (int k = threadIdx.x; k < patch.nspec * layout.band_size(); k += solve_threads)
      copy[k] = factor[k];
    factor = copy;
  }
  for (int j = threadIdx.x; j < patch.n(); j += solve_threads) f[j] = 0;
  __syncthreads();
  bool moves = true;
  for (int sweep = 0; sweep < most_sweeps && moves; ++sweep) {
    bool moved = false;
    for (int colour = 0; colour < 2; ++colour) {
      for (int s = colour + 2 * warp; s < patch.nspec; s += 2 * fiber_solve_warps) {
        for (int w = lane; w < m; w += warp_size)
          x[w] = y[s * m + w] - neighbours<R>(patch, pair, layout.pair_size(), s, w, f);
        __syncwarp();
        solve_warp<R>(m, factor + s * layout.band_size(), x);
        for (int w = lane; w < m; w += warp_size) {
          const double step = x[w] - f[s * m + w];
          moved = moved ||
                  !(step * step * band[s * layout.band_size() + w * (R + 1)] <= settled * settled);
          f[s * m + w] = x[w];
        }
      }
      __syncthreads();
    }
    moves = __syncthreads_or(moved);
  }
  for (int j = threadIdx.x; j < patch.n(); j += solve_threads) {
    const double coupled = neighbours<R>(patch, pair, layout.pair_size(), j / m, j % m, f);
    solution.g[first * m + j] = y[j] - coupled;
    y[j] = f[j];
  }
}

// Rows of V: products of 8 x 8 tiles read them without bank conflicts.
__host__ __device__ constexpr int row_stride(int m) {
  return (m + 15) / 16 * 16 + 4;
}
__host__ __device__ constexpr int padded_rows(int m) {
  return (m + 3) / 4 * 4;
}
// Of a block of correct_kernel: V, and the factors of s and t.
__host__ __device__ constexpr int correct_numbers(int R, int m) {
  return padded_rows(m) * row_stride(m) + 2 * m * (R + 1);
}
constexpr int row_warps = (largest_fiber_bins + warp_size - 1) / warp_size;
constexpr int tile_warps = warps - row_warps;
constexpr int most_tiles = largest_fiber_bins / 8 * (largest_fiber_bins / 8 + 1) / 2;
constexpr int tiles_of_warp = (most_tiles + tile_warps - 1) / tile_warps;

// L_s^-1 of a vector, element after element: `next(w)` gives element w of the vector, `take(w, x)`
// takes element w of what L x = vector has for x. The last R elements stay in registers.
template <int R, class Next, class Take>
__device__ void forward(int m, const double* factor, const Next& next, const Take& take) {
  double x[R + 1];  // x[w % (R + 1)]
#pragma unroll
  for (int d = 0; d <= R; ++d) x[d] = 0;
  for (int base = 0; base < m; base += R + 1) {
#pragma unroll
    for (int r = 0; r <= R; ++r) {
      const int w = base + r;
      if (w >= m) break;
      double sum = next(w);
      // The newest element comes last, as it is the last to be known.
#pragma unroll
      for (int d = R; d > 0; --d)
        if (w >= d) sum -= factor[(w - d) * (R + 1) + d] * x[(r - d + R + 1) % (R + 1)];
      x[r] = sum;
      take(w, sum);
    }
  }
}

// D = sum over both neighbours t of V^T V, V = L_t^-1 N_ts, one after the other. While some warps
// multiply, others take V^T on to L_s^-1 V^T, whose norm is rho.
template <int R>
__global__ void __launch_bounds__(threads)
    correct_kernel(const PatchGeometry* patches, const CoreSpectrum* cores, FiberLayout layout,
                   FiberBands bands, FiberSolution solution, double* D_all, int* status) {
  extern __shared__ double shared[];
  __shared__ double square_of_row[largest_fiber_bins];
  const CoreSpectrum core = cores[blockIdx.x];
  const PatchGeometry patch = patches[core.patch];
  const int m = patch.nwave;
  const int ld = row_stride(m);
  double* V = shared;  // [padded rows][ld]
  double* own = V + padded_rows(m) * ld;
  double* other = own + layout.band_size();
  const int s = patch.pad_below + core.s;
  const size_t first = static_cast<size_t>(core.patch) * layout.nslots;
  const double* pair = bands.pair + first * layout.pair_size();
  const double* factors = solution.factor + first * layout.band_size();
  const int warp = threadIdx.x / warp_size;
  const FragmentLane at = fragment_lane();
  const int ntiles = (m + 7) / 8;
  double c[tiles_of_warp][2] = {};

  for (int k = threadIdx.x; k < layout.band_size(); k += threads)
    own[k] = factors[s * layout.band_size() + k];
  bool coupled = false;
  for (const int t : {s - 1, s + 1}) {
    if (t < 0 || t >= patch.nspec) continue;
    __syncthreads();
    for (int k = threadIdx.x; k < padded_rows(m) * ld; k += threads) V[k] = 0;
    for (int k = threadIdx.x; k < layout.band_size(); k += threads)
      other[k] = factors[t * layout.band_size() + k];
    __syncthreads();
    // N_ts, which is stored as the block of the higher spectrum's rows.
    const double* block = pair + static_cast<size_t>(min(s, t)) * layout.pair_size();
    for (int k = threadIdx.x; k < layout.pair_size(); k += threads) {
      const int column = k / (2 * R + 1), row = column - R + k % (2 * R + 1);
      if (row >= 0 && row < m) V[(t > s ? row * ld + column : column * ld + row)] = block[k];
    }
    __syncthreads();
    if (threadIdx.x < m) {
      double* column = V + threadIdx.x;
      forward<R>(
          m, other, [&](int w) { return column[w * ld]; },
          [&](int w, double x) { column[w * ld] = x * sqrt(other[w * (R + 1)]); });
    }
    __syncthreads();
    if (warp < row_warps) {
      double square = 0;
      if (threadIdx.x < m) {
        const double* row = V + threadIdx.x * ld;
        forward<R>(
            m, own, [&](int v) { return row[v]; },
            [&](int v, double x) { square += x * x * own[v * (R + 1)]; });
        square_of_row[threadIdx.x] = square;
      }
    } else {
      int tile = warp - row_warps;
      int row = 0;  // of tiles; those before it have row (row + 1) / 2
#pragma unroll
      for (int k = 0; k < tiles_of_warp; ++k, tile += tile_warps) {
        if (tile >= ntiles * (ntiles + 1) / 2) break;
        while ((row + 1) * (row + 2) / 2 <= tile) ++row;
        const double* a = V + at.t * ld + row * 8 + at.g;
        const double* b = V + at.t * ld + (tile - row * (row + 1) / 2) * 8 + at.g;
        for (int w = 0; w < padded_rows(m) * ld; w += 4 * ld)
          multiply_add(a[w], b[w], c[k][0], c[k][1]);
      }
    }
    __syncthreads();
    double sum = 0;
    for (int w = 0; w < m; ++w) sum += square_of_row[w];
    coupled = coupled || !(sum <= fiber_bounds::coupling * fiber_bounds::coupling);
  }
  if (coupled && threadIdx.x == 0) status[core.patch] = guarded;

  // Both triangles by way of shared memory, so that they are written in rows.
  __syncthreads();
  if (warp >= row_warps) {
    int tile = warp - row_warps;
    int row = 0;
#pragma unroll
    for (int k = 0; k < tiles_of_warp; ++k, tile += tile_warps) {
      if (tile >= ntiles * (ntiles + 1) / 2) break;
      while ((row + 1) * (row + 2) / 2 <= tile) ++row;
      const int i = row * 8 + at.g;
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int j = (tile - row * (row + 1) / 2) * 8 + 2 * at.t + h;
        if (i < m && j <= i) V[i * ld + j] = V[j * ld + i] = c[k][h];
      }
    }
  }
  __syncthreads();
  double* D = D_all + static_cast<size_t>(blockIdx.x) * m * m;
  for (int i = warp; i < m; i += warps)
    for (int j = threadIdx.x % warp_size; j < m; j += warp_size) D[i * m + j] = V[i * ld + j];
}

}  // namespace

int stored_reach(int reach) {
  for (const int R : {8, 10, largest_fiber_reach})
    if (reach <= R) return R;
  return 0;
}

// `f.template operator()<R>()` for the reach of a layout.
template <class Function>
static void with_reach(int reach, const Function& function) {
  if (reach == 8)
    function.template operator()<8>();
  else if (reach == 10)
    function.template operator()<10>();
  else
    function.template operator()<largest_fiber_reach>();
}

void factor_fibers(const PatchGeometry* patches, int count, const FiberLayout& layout,
                   const FiberBands& bands, const FiberSolution& solution, int* status,
                   cudaStream_t stream) {
  with_reach(layout.reach, [&]<int R>() {
    factor_kernel<R>
        <<<blocks_for(static_cast<long long>(count) * layout.nslots, factor_threads),
           factor_threads, 0, stream>>>(patches, count, layout, bands, solution, status);
  });
  SPEX_LAUNCH_CHECK();
}

void solve_fibers(const PatchGeometry* patches, int count, const FiberLayout& layout,
                  const FiberBands& bands, const FiberSolution& solution, cudaStream_t stream) {
  const std::size_t least = solve_fibers_bytes(layout.nslots, layout.nwave);
  const std::size_t bytes = least + count_of(layout.nslots, layout.band_size()) * sizeof(double);
  const bool staged = bytes <= most_shared_memory();
  with_reach(layout.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(solve_kernel<R>));
    solve_kernel<R><<<count, solve_threads, staged ? bytes : least, stream>>>(
        patches, layout, bands, solution, staged);
  });
  SPEX_LAUNCH_CHECK();
}

void correct_fibers(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                    const FiberLayout& layout, const FiberBands& bands,
                    const FiberSolution& solution, double* D, int* status, cudaStream_t stream) {
  const std::size_t bytes =
      static_cast<std::size_t>(correct_numbers(layout.reach, layout.nwave)) * sizeof(double);
  with_reach(layout.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(correct_kernel<R>));
    correct_kernel<R>
        <<<ncores, threads, bytes, stream>>>(patches, cores, layout, bands, solution, D, status);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
