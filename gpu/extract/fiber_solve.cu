#include <algorithm>

#include <cuda_pipeline.h>

#include "gpu/core/launch.hpp"
#include "gpu/core/tensor.cuh"
#include "gpu/core/warp.cuh"
#include "gpu/extract/fiber_reach.hpp"
#include "gpu/extract/fiber_solve.hpp"
#include "gpu/extract/lane_band.cuh"
#include "gpu/extract/spot_device.cuh"
#include "reference/core/count.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int factored_together = 8;  // spectra of a warp of factor_kernel
constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int solve_threads = 128;
constexpr int most_sweeps = 6;  // the reference's
// Errors, in units of 1 / sqrt(N_jj), below which a sweep has changed nothing that matters: the
// next one would change it by (2 rho)^2 of that, 0.01 at most.
constexpr double settled = 1e-9;

// Numbers from a spectrum's band to the next in shared memory: odd, so that lanes that read the
// same element of their spectra use different banks.
__host__ __device__ constexpr int factor_stride(int band_size) {
  return band_size | 1;
}
static_assert(factored_together * factor_stride(largest_fiber_bins * (largest_fiber_reach + 1)) *
                  sizeof(double) <=
              smallest_shared_memory);

// A warp `factored_together` spectra, a lane each. The warp reads their bands into shared memory,
// where their factors, and then the bands of their inverses, take the bands' place.
template <int R>
__global__ void __launch_bounds__(warp_size)
    factor_kernel(const PatchGeometry* patches, int count, FiberLayout layout, FiberBands bands,
                  FiberSolution solution, int* status) {
  extern __shared__ double shared[];
  const int m = layout.nwave;
  const int size = layout.band_size();
  const int first = blockIdx.x * factored_together;
  const int lane = threadIdx.x;
  const int k = first + lane;
  const bool mine = lane < factored_together && k < count * layout.nslots &&
                    k % layout.nslots < patches[k / layout.nslots].nspec;
  const unsigned used = __ballot_sync(0xffffffffU, mine);
  // `copy(shared, index)` for each number of the spectra, lanes side by side.
  const auto for_each_number = [&](const auto& copy) {
    for (int s = 0; s < factored_together; ++s) {
      if ((used >> s & 1) == 0) continue;
      const size_t from = static_cast<size_t>(first + s) * size;
      for (int i = lane; i < size; i += warp_size)
        copy(shared[s * factor_stride(size) + i], from + i);
    }
    __syncwarp();
  };
  for_each_number([&](double& here, size_t at) {
    __pipeline_memcpy_async(&here, bands.band + at, sizeof(double));
  });
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  double* band = shared + lane * factor_stride(size);
  bool good = true;
  if (mine)
    good = factor_band<R>(
        m, [&](int j, int d) { return j + d < m ? band[j * (R + 1) + d] : 0.0; },
        [&](int j, const double(&l)[R + 1]) {
#pragma unroll
          for (int d = 0; d <= R; ++d) band[j * (R + 1) + d] = l[d];
        });
  __syncwarp();
  for_each_number([&](double& here, size_t at) { solution.factor[at] = here; });
  double trace = 0;
  if (mine)
    invert_band<R>(
        m,
        [&](int j, double(&l)[R + 1]) {
#pragma unroll
          for (int d = 0; d <= R; ++d) l[d] = band[j * (R + 1) + d];
        },
        [&](int j, const double(&)[R + 1], const double(&z)[R + 1]) {
#pragma unroll
          for (int d = 0; d <= R; ++d) band[j * (R + 1) + d] = z[d];
          trace += z[0];
        });
  __syncwarp();
  for_each_number([&](double& here, size_t at) { solution.inverse[at] = here; });
  if (!mine) return;
  solution.trace[k] = trace;
  if (!good || !isfinite(trace)) status[k / layout.nslots] = guarded;
}

// Solves L x = a element after element: `next(w)` gives element w of a, `take(w, x)` takes x_w. The
// R elements that x_w changes are in registers, each in the place of its index modulo R + 1.
template <int R, class Next, class Take>
__device__ void forward(int m, const double* factor, const Next& next, const Take& take) {
  double window[R + 1];
  double l[R + 1];
#pragma unroll
  for (int d = 0; d <= R; ++d) {
    window[d] = d < m ? next(d) : 0.0;
    l[d] = factor[d];
  }
  for (int base = 0; base < m; base += R + 1) {
#pragma unroll
    for (int r = 0; r <= R; ++r) {
      const int w = base + r;
      if (w >= m) break;
      // On its way before the last element is stored, which might seem to change it.
      const double entering = w + R + 1 < m ? next(w + R + 1) : 0.0;
      double l_next[R + 1];
#pragma unroll
      for (int d = 1; d <= R; ++d) l_next[d] = w + 1 < m ? factor[(w + 1) * (R + 1) + d] : 0.0;
      const double x = window[r];
#pragma unroll
      for (int d = 1; d <= R; ++d) window[(r + d) % (R + 1)] -= l[d] * x;
      take(w, x);
      window[r] = entering;
#pragma unroll
      for (int d = 1; d <= R; ++d) l[d] = l_next[d];
    }
  }
}

// The same of L^T D x = a from the last element to the first, 1 / d_w at factor[w (R + 1)].
template <int R>
__device__ void backward(int m, const double* factor, double* x) {
  double window[R + 1];  // x[w], in the place of w modulo R + 1
#pragma unroll
  for (int d = 0; d <= R; ++d) window[d] = 0;
  for (int base = (m - 1) / (R + 1) * (R + 1); base >= 0; base -= R + 1) {
#pragma unroll
    for (int r = R; r >= 0; --r) {
      const int w = base + r;
      if (w >= m) continue;
      const double* l = factor + w * (R + 1);
      double sum = x[w] * l[0];
      // The newest last, as it is the last to be known.
#pragma unroll
      for (int d = R; d > 0; --d) sum -= l[d] * window[(r + d) % (R + 1)];
      window[r] = x[w] = sum;
    }
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
    solve_kernel(const PatchGeometry* patches, int first_end, FiberLayout layout, FiberBands bands,
                 FiberSolution solution, bool staged) {
  extern __shared__ double shared[];
  const PatchGeometry patch = patches[blockIdx.x];
  const int m = patch.nwave;
  if (patch.wave0 + m <= first_end) return;
  double* f = shared;                      // [nslots][m]
  double* x = shared + layout.nslots * m;  // [nslots][m]
  const size_t first = static_cast<size_t>(blockIdx.x) * layout.nslots;
  const double* band = bands.band + first * layout.band_size();
  const double* pair = bands.pair + first * layout.pair_size();
  const double* factor = solution.factor + first * layout.band_size();
  double* y = solution.f + first * m;
  if (staged) {
    double* copy = x + layout.nslots * m;
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
      // Spectra of one colour: s = 2 k + colour.
      const int of_colour = (patch.nspec - colour + 1) / 2 * m;
      for (int k = threadIdx.x; k < of_colour; k += solve_threads) {
        const int s = 2 * (k / m) + colour, w = k % m;
        x[s * m + w] = y[s * m + w] - neighbours<R>(patch, pair, layout.pair_size(), s, w, f);
      }
      __syncthreads();
      // A thread a spectrum.
      for (int s = 2 * threadIdx.x + colour; s < patch.nspec; s += 2 * solve_threads) {
        double* mine = x + s * m;
        const double* L = factor + s * layout.band_size();
        forward<R>(
            m, L, [&](int w) { return mine[w]; }, [&](int w, double v) { mine[w] = v; });
        backward<R>(m, L, mine);
      }
      __syncthreads();
      for (int k = threadIdx.x; k < of_colour; k += solve_threads) {
        const int s = 2 * (k / m) + colour, w = k % m;
        const double step = x[s * m + w] - f[s * m + w];
        moved = moved ||
                !(step * step * band[s * layout.band_size() + w * (R + 1)] <= settled * settled);
        f[s * m + w] = x[s * m + w];
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
// Of a block of complement_kernel: V, the factors of s and t, and the roots of t.
__host__ __device__ constexpr int complement_numbers(int R, int m) {
  return padded_rows(m) * row_stride(m) + 2 * m * (R + 1) + m;
}
static_assert(complement_numbers(largest_fiber_reach, largest_fiber_bins) * sizeof(double) <=
              smallest_shared_memory);
constexpr int most_tiles = largest_fiber_bins / 8 * (largest_fiber_bins / 8 + 1) / 2;
constexpr int tiles_of_warp = (most_tiles + warps - 1) / warps;

// V = L_t^-1 N_ts by the whole block, t a neighbour of s; `other` takes the factor of t, and `root`
// 1 / sqrt(d) of its rows.
template <int R>
__device__ void half_solve(const FiberLayout& layout, int m, int s, int t, const double* pair,
                           const double* factors, double* V, double* other, double* root) {
  const int ld = row_stride(m);
  __syncthreads();
  for (int k = threadIdx.x; k < padded_rows(m) * ld; k += threads) V[k] = 0;
  for (int k = threadIdx.x; k < layout.band_size(); k += threads)
    other[k] = factors[t * layout.band_size() + k];
  __syncthreads();
  for (int w = threadIdx.x; w < m; w += threads) root[w] = sqrt(other[w * (R + 1)]);
  // N_ts, which is stored as the block of the higher spectrum's rows.
  const double* block = pair + static_cast<size_t>(min(s, t)) * layout.pair_size();
  for (int k = threadIdx.x; k < layout.pair_size(); k += threads) {
    const int column = k / (2 * R + 1), row = column - R + k % (2 * R + 1);
    if (row >= 0 && row < m) V[t > s ? row * ld + column : column * ld + row] = block[k];
  }
  __syncthreads();
  if (threadIdx.x < m) {
    double* column = V + threadIdx.x;
    forward<R>(
        m, other, [&](int w) { return column[w * ld]; },
        [&](int w, double x) { column[w * ld] = x * root[w]; });
  }
  __syncthreads();
}

// The sum of the block's values, for all threads.
__device__ double block_sum(double value, double (&of_warp)[warps]) {
  value = warp_sum(value);
  __syncthreads();
  if (threadIdx.x % warp_size == 0) of_warp[threadIdx.x / warp_size] = value;
  __syncthreads();
  double sum = 0;
  for (int w = 0; w < warps; ++w) sum += of_warp[w];
  return sum;
}

// D = sum over both neighbours t of V^T V, V = L_t^-1 N_ts, one after the other. rho^2 of both
// together is tr(N_ss^-1 D), which is held to a bound first: the band of N_ss^-1 is known, and its
// other elements are no larger than the roots of its diagonal's. Where that is above what rho may
// be, rho is found as the norm of L_s^-1 V^T.
template <int R>
__global__ void __launch_bounds__(threads, 2)
    complement_kernel(const PatchGeometry* patches, const CoreSpectrum* cores, FiberLayout layout,
                      FiberBands bands, FiberSolution solution, SchurComplements complements,
                      int* status) {
  extern __shared__ double shared[];
  __shared__ double of_row[largest_fiber_bins];
  __shared__ double root_of_inverse[largest_fiber_bins];
  __shared__ double of_warp[warps];
  const CoreSpectrum core = cores[blockIdx.x];
  const PatchGeometry patch = patches[core.patch];
  const int m = patch.nwave;
  const int ld = row_stride(m);
  double* V = shared;                     // [padded rows][ld]
  double* own = V + padded_rows(m) * ld;  // the factor of s
  double* other = own + layout.band_size();
  double* root = other + layout.band_size();
  const int s = patch.pad_below + core.s;
  const size_t first = static_cast<size_t>(core.patch) * layout.nslots;
  const double* pair = bands.pair + first * layout.pair_size();
  const double* factors = solution.factor + first * layout.band_size();
  const int warp = threadIdx.x / warp_size;
  const FragmentLane at = fragment_lane();
  const int ntiles = (m + 7) / 8;
  // Lower tiles of D, a few a warp: where their rows and columns begin in V.
  int row_of_tile[tiles_of_warp], column_of_tile[tiles_of_warp];
  double c[tiles_of_warp][2] = {};
  {
    int row = 0;  // of tiles; those before it have row (row + 1) / 2
#pragma unroll
    for (int k = 0; k < tiles_of_warp; ++k) {
      const int tile = warp + k * warps;
      while ((row + 1) * (row + 2) / 2 <= tile) ++row;
      const bool exists = row < ntiles;
      row_of_tile[k] = exists ? row * 8 : -1;
      column_of_tile[k] = exists ? (tile - row * (row + 1) / 2) * 8 : 0;
    }
  }

  for (const int t : {s - 1, s + 1}) {
    if (t < 0 || t >= patch.nspec) continue;
    half_solve<R>(layout, m, s, t, pair, factors, V, other, root);
    for (int w = at.t; w < padded_rows(m); w += 4) {
      const double* V_w = V + w * ld + at.g;
#pragma unroll
      for (int k = 0; k < tiles_of_warp; ++k)
        if (row_of_tile[k] >= 0)
          multiply_add(V_w[row_of_tile[k]], V_w[column_of_tile[k]], c[k][0], c[k][1]);
    }
  }

  // D, both triangles, in place of V.
  __syncthreads();
#pragma unroll
  for (int k = 0; k < tiles_of_warp; ++k) {
    const int i = row_of_tile[k] + at.g;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int j = column_of_tile[k] + 2 * at.t + h;
      if (row_of_tile[k] >= 0 && i < m && j <= i) V[i * ld + j] = V[j * ld + i] = c[k][h];
    }
  }
  __syncthreads();
  const double* N = bands.band + (first + s) * layout.band_size();
  const auto P = [&](int j, int d) { return N[j * (R + 1) + d] - V[j * ld + j + d]; };
  double* band =
      complements.band + static_cast<size_t>(blockIdx.x) * SchurComplements::band_size(layout);
  for (int k = threadIdx.x; k < SchurComplements::band_size(layout); k += threads) {
    const int j = k / (R + 1), d = k % (R + 1);
    band[k] = j + d < m ? P(j, d) : 0.0;
  }
  double* E = complements.outside + static_cast<size_t>(blockIdx.x) * m * m;
  for (int i = warp; i < m; i += warps)
    for (int j = threadIdx.x % warp_size; j < m; j += warp_size)
      E[i * m + j] = abs(i - j) > R ? V[i * ld + j] : 0.0;
  const double* inverse = solution.inverse + (first + s) * layout.band_size();
  if (threadIdx.x < m) {
    const int j = threadIdx.x;
    root_of_inverse[j] = sqrt(inverse[j * (R + 1)]);
    double sum = fabs(P(j, 0));
    for (int d = 1; d <= R; ++d) {
      if (j + d < m) sum += fabs(P(j, d));
      if (j >= d) sum += fabs(P(j - d, d));
    }
    of_row[j] = sum;
    const double* f = solution.f + (first + s) * m;
    double y = solution.g[(first + s) * m + j];
    for (int k = 0; k < m; ++k) y -= V[k * ld + j] * f[k];
    complements.y[static_cast<size_t>(blockIdx.x) * m + j] = y;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    double norm = 0;
    for (int j = 0; j < m; ++j) norm = fmax(norm, of_row[j]);
    complements.norm[blockIdx.x] = norm;
  }

  constexpr double most = fiber_bounds::coupling * fiber_bounds::coupling;
  double bound = 0;
  for (int k = threadIdx.x; k < m * m; k += threads) {
    const int i = k / m, j = k % m;
    if (i < j) continue;
    const double twice = i == j ? 1 : 2;
    bound += i - j <= R ? twice * inverse[j * (R + 1) + i - j] * V[i * ld + j]
                        : twice * fabs(V[i * ld + j]) * (root_of_inverse[i] * root_of_inverse[j]);
  }
  if (block_sum(bound, of_warp) <= most) return;

  for (int k = threadIdx.x; k < layout.band_size(); k += threads)
    own[k] = factors[s * layout.band_size() + k];
  for (const int t : {s - 1, s + 1}) {
    if (t < 0 || t >= patch.nspec) continue;
    half_solve<R>(layout, m, s, t, pair, factors, V, other, root);
    double square = 0;
    if (threadIdx.x < m) {
      const double* row = V + threadIdx.x * ld;
      forward<R>(
          m, own, [&](int v) { return row[v]; },
          [&](int v, double x) { square += x * x * own[v * (R + 1)]; });
    }
    if (!(block_sum(square, of_warp) <= most) && threadIdx.x == 0) status[core.patch] = guarded;
  }
}

}  // namespace

int stored_reach(int reach) {
  for (const int R : {8, 10, largest_fiber_reach})
    if (reach <= R) return R;
  return 0;
}

void factor_fibers(const PatchGeometry* patches, int count, const FiberLayout& layout,
                   const FiberBands& bands, const FiberSolution& solution, int* status,
                   cudaStream_t stream) {
  with_reach(layout.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(factor_kernel<R>));
    const int blocks = blocks_for(static_cast<long long>(count) * layout.nslots, factored_together);
    const std::size_t bytes =
        count_of(factored_together, factor_stride(layout.band_size())) * sizeof(double);
    factor_kernel<R>
        <<<blocks, warp_size, bytes, stream>>>(patches, count, layout, bands, solution, status);
  });
  SPEX_LAUNCH_CHECK();
}

void solve_fibers(const PatchGeometry* patches, int count, int first_end, const FiberLayout& layout,
                  const FiberBands& bands, const FiberSolution& solution, cudaStream_t stream) {
  const std::size_t least = solve_fibers_bytes(layout.nslots, layout.nwave);
  const std::size_t bytes = least + count_of(layout.nslots, layout.band_size()) * sizeof(double);
  const bool staged = bytes <= most_shared_memory();
  with_reach(layout.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(solve_kernel<R>));
    solve_kernel<R><<<count, solve_threads, staged ? bytes : least, stream>>>(
        patches, first_end, layout, bands, solution, staged);
  });
  SPEX_LAUNCH_CHECK();
}

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
