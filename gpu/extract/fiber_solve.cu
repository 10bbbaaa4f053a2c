#include <algorithm>

#include "gpu/core/launch.hpp"
#include "gpu/core/tensor.cuh"
#include "gpu/extract/fiber_solve.hpp"
#include "gpu/extract/lane_band.cuh"
#include "gpu/extract/spot_device.cuh"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int factor_threads = 64;
constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int sweeps = 6;  // as the reference

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

template <int R>
__global__ void solve_kernel(const PatchGeometry* patches, FiberLayout layout, FiberBands bands,
                             FiberSolution solution) {
  extern __shared__ double shared[];
  const PatchGeometry patch = patches[blockIdx.x];
  const int m = patch.nwave;
  const int warp = threadIdx.x / warp_size;
  const int lane = threadIdx.x % warp_size;
  double* f = shared;                                 // [nslots][m]
  double* x = shared + layout.nslots * m + warp * m;  // of the warp
  const size_t first = static_cast<size_t>(blockIdx.x) * layout.nslots;
  const double* pair = bands.pair + first * layout.pair_size();
  double* y = solution.f + first * m;
  for (int j = threadIdx.x; j < patch.n(); j += threads) f[j] = 0;
  __syncthreads();
  for (int half = 0; half < 2 * sweeps; ++half) {
    for (int s = half % 2 + 2 * warp; s < patch.nspec; s += 2 * warps) {
      for (int w = lane; w < m; w += warp_size)
        x[w] = y[s * m + w] - neighbours<R>(patch, pair, layout.pair_size(), s, w, f);
      __syncwarp();
      solve_warp<R>(m, solution.factor + (first + s) * layout.band_size(), x);
      for (int w = lane; w < m; w += warp_size) f[s * m + w] = x[w];
    }
    __syncthreads();
  }
  for (int j = threadIdx.x; j < patch.n(); j += threads) {
    const double coupled = neighbours<R>(patch, pair, layout.pair_size(), j / m, j % m, f);
    solution.g[first * m + j] = y[j] - coupled;
    y[j] = f[j];
  }
}

// Rows of V as products of 8 x 8 tiles read them, without bank conflicts.
__host__ __device__ constexpr int row_stride(int m) {
  return (m + 15) / 16 * 16 + 8;
}
__host__ __device__ constexpr int padded_rows(int m) {
  return (2 * m + 3) / 4 * 4;
}

// V = L_t^-1 N_ts of both neighbours, below each other; then D = V^T V.
template <int R>
__global__ void correct_kernel(const PatchGeometry* patches, const CoreSpectrum* cores,
                               FiberLayout layout, FiberBands bands, FiberSolution solution,
                               double* D_all, int* status) {
  extern __shared__ double V[];  // [2 m][ld]
  const CoreSpectrum core = cores[blockIdx.x];
  const PatchGeometry patch = patches[core.patch];
  const int m = patch.nwave;
  const int ld = row_stride(m);
  const int s = patch.pad_below + core.s;
  const size_t first = static_cast<size_t>(core.patch) * layout.nslots;
  const double* pair = bands.pair + first * layout.pair_size();
  for (int k = threadIdx.x; k < padded_rows(m) * ld; k += threads) V[k] = 0;
  __syncthreads();

  // A thread a column and neighbour.
  for (int k = threadIdx.x; k < 2 * m; k += threads) {
    const bool above = k >= m;
    const int v = k % m;
    const int t = above ? s + 1 : s - 1;
    if (t < 0 || t >= patch.nspec) continue;
    const double* factor = solution.factor + (first + t) * layout.band_size();
    double x[R + 1];  // x[d]: row w - d
#pragma unroll
    for (int d = 0; d <= R; ++d) x[d] = 0;
    for (int w = max(0, v - R); w < m; ++w) {
#pragma unroll
      for (int d = R; d > 0; --d) x[d] = x[d - 1];
      double sum = 0;
      if (abs(w - v) <= R)
        sum = above
                  ? pair[static_cast<size_t>(s) * layout.pair_size() + v * (2 * R + 1) + w - v + R]
                  : pair[static_cast<size_t>(t) * layout.pair_size() + w * (2 * R + 1) + v - w + R];
#pragma unroll
      for (int d = 1; d <= R; ++d)
        if (w >= d) sum -= factor[(w - d) * (R + 1) + d] * x[d];
      x[0] = sum;
      V[(k / m * m + w) * ld + v] = sum * sqrt(factor[w * (R + 1)]);
    }
  }
  __syncthreads();

  // D by tiles of 8 x 8, a warp a tile.
  double* D = D_all + static_cast<size_t>(blockIdx.x) * m * m;
  const FragmentLane at = fragment_lane();
  const int ntiles = (m + 7) / 8;
  for (int tile = threadIdx.x / warp_size; tile < ntiles * ntiles; tile += warps) {
    const int row = tile / ntiles * 8, column = tile % ntiles * 8;
    if (row < column) continue;
    double c0 = 0, c1 = 0;
    for (int k = 0; k < padded_rows(m); k += 4)
      multiply_add(V[(k + at.t) * ld + row + at.g], V[(k + at.t) * ld + column + at.g], c0, c1);
    const int i = row + at.g, j = column + 2 * at.t;
    if (i < m && j <= i) D[i * m + j] = D[j * m + i] = c0;
    if (i < m && j + 1 <= i) D[i * m + j + 1] = D[(j + 1) * m + i] = c1;
  }
  __syncthreads();

  // rho^2 = || L_s^-1 V_ts^T ||_F^2, a thread a row of V; the square of each row into its place.
  const double* factor = solution.factor + (first + s) * layout.band_size();
  for (int k = threadIdx.x; k < 2 * m; k += threads) {
    double x[R + 1];
#pragma unroll
    for (int d = 0; d <= R; ++d) x[d] = 0;
    double square = 0;
    for (int v = 0; v < m; ++v) {
#pragma unroll
      for (int d = R; d > 0; --d) x[d] = x[d - 1];
      double sum = V[k * ld + v];
#pragma unroll
      for (int d = 1; d <= R; ++d)
        if (v >= d) sum -= factor[(v - d) * (R + 1) + d] * x[d];
      x[0] = sum;
      square += sum * sum * factor[v * (R + 1)];
    }
    V[k * ld] = square;
  }
  __syncthreads();
  if (threadIdx.x < 2) {
    double sum = 0;
    for (int w = 0; w < m; ++w) sum += V[(threadIdx.x * m + w) * ld];
    if (!(sum <= fiber_bounds::coupling * fiber_bounds::coupling)) status[core.patch] = guarded;
  }
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
  static_assert(warps == 8);
  const std::size_t bytes = solve_fibers_bytes(layout.nslots, layout.nwave);
  with_reach(layout.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(solve_kernel<R>));
    solve_kernel<R><<<count, threads, bytes, stream>>>(patches, layout, bands, solution);
  });
  SPEX_LAUNCH_CHECK();
}

void correct_fibers(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                    const FiberLayout& layout, const FiberBands& bands,
                    const FiberSolution& solution, double* D, int* status, cudaStream_t stream) {
  const std::size_t bytes =
      static_cast<std::size_t>(padded_rows(layout.nwave) * row_stride(layout.nwave)) *
      sizeof(double);
  with_reach(layout.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(correct_kernel<R>));
    correct_kernel<R>
        <<<ncores, threads, bytes, stream>>>(patches, cores, layout, bands, solution, D, status);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
