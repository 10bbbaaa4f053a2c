#include <algorithm>

#include <cuda_pipeline.h>

#include "gpu/core/launch.hpp"
#include "gpu/core/tensor.cuh"
#include "gpu/core/warp.cuh"
#include "gpu/extract/fiber_reach.hpp"
#include "gpu/extract/fiber_solve.hpp"
#include "gpu/extract/spot_device.cuh"
#include "gpu/linalg/lane_band.cuh"
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

// Solves L x = a element after element, from element `begin` on, before which a has zeros:
// `next(w)` gives element w of a, `take(w, x)` takes x_w. The R elements that x_w changes are in
// registers, each in the place of its distance from `begin` modulo R + 1.
template <int R, class Next, class Take>
__device__ void forward(int begin, int m, const double* factor, const Next& next,
                        const Take& take) {
  double window[R + 1];
  double l[R + 1];
#pragma unroll
  for (int d = 0; d <= R; ++d) {
    window[d] = begin + d < m ? next(begin + d) : 0.0;
    l[d] = factor[begin * (R + 1) + d];
  }
  for (int base = begin; base < m; base += R + 1) {
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

// Solves L^T x = D^-1 a in place, D^-1 at factor[w (R + 1)], from the last element to the first.
template <int R>
__device__ void backward(int m, const double* factor, double* x) {
  // Row w of L, l[d] = L(w, w - d).
  const auto load = [&](int w, double(&l)[R + 1]) {
    const double* row = factor + w * (R + 1);
    if (w >= R) {
#pragma unroll
      for (int d = 1; d <= R; ++d) l[d] = row[-d * R];
    } else {
#pragma unroll
      for (int d = 1; d <= R; ++d) l[d] = w >= d ? row[-d * R] : 0.0;
    }
  };
  const auto next = [&](int w) { return w >= 0 ? x[w] * factor[w * (R + 1)] : 0.0; };
  double window[R + 1];  // each in the place of its distance from the last modulo R + 1
  double l[R + 1];
#pragma unroll
  for (int d = 0; d <= R; ++d) window[d] = next(m - 1 - d);
  load(m - 1, l);
  for (int base = m - 1; base >= 0; base -= R + 1) {
#pragma unroll
    for (int r = 0; r <= R; ++r) {
      const int w = base - r;
      if (w < 0) break;
      // On its way before the last element is stored, which might seem to change it.
      const double entering = next(w - R - 1);
      double l_next[R + 1];
      load(w - 1, l_next);
      const double value = window[r];
#pragma unroll
      for (int d = 1; d <= R; ++d) window[(r + d) % (R + 1)] -= l[d] * value;
      x[w] = value;
      window[r] = entering;
#pragma unroll
      for (int d = 1; d <= R; ++d) l[d] = l_next[d];
    }
  }
}

// x = y less what neighbours hold, sum over t of N_st f_t, for the spectra of one colour,
// s = 2 k + colour; g takes it too. By the whole block.
template <int R>
__device__ void subtract_neighbours(const PatchGeometry& patch, const double* pair, int pair_size,
                                    int colour, const double* y, const double* f, double* x,
                                    double* g) {
  const int m = patch.nwave;
  const int of_colour = (patch.nspec - colour + 1) / 2;
  // Of s - 1, the columns of N_{s,s-1}: a warp 32 bins, for which it reads one column after
  // another, a part of them together.
  constexpr int columns = warp_size + 2 * R, together = columns / 4;
  static_assert(columns % together == 0);
  const int chunks = (m + warp_size - 1) / warp_size;
  const int lane = threadIdx.x % warp_size;
  for (int k = threadIdx.x / warp_size; k < of_colour * chunks; k += solve_threads / warp_size) {
    const int s = 2 * (k / chunks) + colour;
    const int first = k % chunks * warp_size, w = first + lane;
    double sum = 0;
    if (s > 0) {
      const double* block = pair + static_cast<size_t>(s - 1) * pair_size;
      const double* f_t = f + (s - 1) * m;
      for (int base = first - R; base < first - R + columns; base += together) {
#pragma unroll
        for (int i = 0; i < together; ++i) {
          const int v = base + i;
          if (v >= 0 && v < m && w < m && abs(w - v) <= R)
            sum += block[v * (2 * R + 1) + w - v + R] * f_t[v];
        }
      }
    }
    if (w < m) x[s * m + w] = y[s * m + w] - sum;
  }
  __syncthreads();
  // Of s + 1, the rows of N_{s,s+1}: some lanes a bin.
  constexpr int lanes = 4;
  for (int k = threadIdx.x; k < of_colour * m * lanes; k += solve_threads) {
    const int s = 2 * (k / lanes / m) + colour, w = k / lanes % m;
    double sum = 0;
    if (s + 1 < patch.nspec) {
      const double* row = pair + static_cast<size_t>(s) * pair_size + w * (2 * R + 1);
      const double* f_t = f + (s + 1) * m + w - R;
#pragma unroll
      for (int first = 0; first <= 2 * R; first += lanes) {
        const int i = first + k % lanes;
        const int v = w - R + i;
        if (i <= 2 * R && v >= 0 && v < m) sum += row[i] * f_t[i];
      }
    }
    sum = group_sum<lanes>(sum);
    if (k % lanes == 0) g[s * m + w] = x[s * m + w] -= sum;
  }
  __syncthreads();
}

// A block a patch. The factors are in shared memory where `Staged`.
template <int R, bool Staged>
__global__ void __launch_bounds__(solve_threads, 4)
    solve_kernel(const PatchGeometry* patches, int first_end, FiberLayout layout, FiberBands bands,
                 FiberSolution solution) {
  extern __shared__ double shared[];
  const PatchGeometry patch = patches[blockIdx.x];
  const int m = patch.nwave;
  if (patch.wave0 + m <= first_end) return;
  double* f = shared;                      // [nslots][m]
  double* x = shared + layout.nslots * m;  // [nslots][m]
  const size_t first = static_cast<size_t>(blockIdx.x) * layout.nslots;
  const double* band = bands.band + first * layout.band_size();
  const double* pair = bands.pair + first * layout.pair_size();
  double* y = solution.f + first * m;
  double* g = solution.g + first * m;
  const double* factor = solution.factor + first * layout.band_size();
  if constexpr (Staged) {
    double* copy = x + layout.nslots * m;
    for (int k = threadIdx.x; k < patch.nspec * layout.band_size(); k += solve_threads)
      __pipeline_memcpy_async(copy + k, factor + k, sizeof(double));
    __pipeline_commit();
    factor = copy;
  }
  for (int j = threadIdx.x; j < patch.n(); j += solve_threads) {
    f[j] = 0;
    x[j] = y[j];
  }
  if constexpr (Staged) __pipeline_wait_prior(0);
  __syncthreads();
  bool moves = true;
  for (int sweep = 0; sweep < most_sweeps && moves; ++sweep) {
    bool moved = false;
    for (int colour = 0; colour < 2; ++colour) {
      // All f are zero at first.
      if (sweep + colour > 0)
        subtract_neighbours<R>(patch, pair, layout.pair_size(), colour, y, f, x, g);
      // A thread a spectrum.
      for (int s = 2 * threadIdx.x + colour; s < patch.nspec; s += 2 * solve_threads) {
        double* mine = x + s * m;
        const double* L = factor + s * layout.band_size();
        forward<R>(
            0, m, L, [&](int w) { return mine[w]; }, [&](int w, double v) { mine[w] = v; });
        backward<R>(m, L, mine);
      }
      __syncthreads();
      const int of_colour = (patch.nspec - colour + 1) / 2 * m;
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
  // g of the second colour is that of the last sweep, from which f of the first is the last.
  subtract_neighbours<R>(patch, pair, layout.pair_size(), 0, y, f, x, g);
  for (int j = threadIdx.x; j < patch.n(); j += solve_threads) y[j] = f[j];
}

constexpr int sides = 2;   // the neighbours s - 1 and s + 1
constexpr int block = 16;  // rows and columns of D that a warp computes together

// Rows of V: 4 times an odd number, so that products read fragments without bank conflicts.
__host__ __device__ constexpr int row_stride(int m) {
  return (m + 3) / 8 * 8 + 4;
}
__host__ __device__ constexpr int padded_rows(int m) {
  return (m + 3) / 4 * 4;
}
// Of a block of complement_kernel, for each side: V, the roots of t, and the factor of t.
__host__ __device__ constexpr int complement_numbers(int R, int m) {
  return sides * (padded_rows(m) * row_stride(m) + m + m * (R + 1));
}
static_assert(complement_numbers(largest_fiber_reach, largest_fiber_bins) * sizeof(double) <=
              smallest_shared_memory);
constexpr int most_blocks = largest_fiber_bins / block * (largest_fiber_bins / block + 1) / 2;
constexpr int blocks_of_warp = 2;
static_assert(largest_fiber_bins % block == 0 && most_blocks <= blocks_of_warp * warps);
// A warp solves for 32 columns of a side.
constexpr int warps_of_side = warps / sides;
static_assert(largest_fiber_bins <= warps_of_side * warp_size);

// The first row of V, of a step of four, in which columns from `column` on have elements.
__device__ constexpr int first_row(int R, int column) {
  return column <= R ? 0 : (column - R) / 4 * 4;
}

// What a block of complement_kernel keeps of both neighbours t of s, in shared memory.
template <int R>
struct Neighbours {
  const FiberLayout* layout;
  int s, nspec;
  double* shared;

  __device__ bool exists(int side) const { return side == 0 ? s > 0 : s + 1 < nspec; }
  __device__ int m() const { return layout->nwave; }
  __device__ int ld() const { return row_stride(m()); }
  // V = L_t^-1 N_ts, [padded rows][ld]. Products read beyond the columns, which nobody sees.
  __device__ double* V(int side) const { return shared + side * padded_rows(m()) * ld(); }
  // 1 / sqrt(d) of the rows of t.
  __device__ double* root(int side) const { return V(sides) + side * m(); }
  // 1 / d and L of t.
  __device__ double* factor(int side) const { return root(sides) + side * layout->band_size(); }
};

// Calls for N_ts, where V is to be, and the factor of t of both sides.
template <int R>
__device__ void call_for_neighbours(const Neighbours<R>& my, const double* pair,
                                    const double* factors) {
  const int m = my.m(), ld = my.ld();
  for (int side = 0; side < sides; ++side) {
    if (!my.exists(side)) continue;
    const int size = my.layout->band_size();
    const double* of_t = factors + (my.s - 1 + 2 * side) * size;
    double* factor = my.factor(side);
    for (int k = threadIdx.x; k < size; k += threads)
      __pipeline_memcpy_async(factor + k, of_t + k, sizeof(double));
    // The blocks of the higher spectrum's rows are stored: of s - 1 it is N_st.
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

// V of both sides, by the whole block: a thread a column, as far down as it has elements.
template <int R>
__device__ void half_solves(const Neighbours<R>& my, const double* pair, const double* factors) {
  const int m = my.m(), ld = my.ld();
  call_for_neighbours<R>(my, pair, factors);
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

// D = sum over both neighbours t of V^T V, V = L_t^-1 N_ts. rho^2 of both together is
// tr(N_ss^-1 D), which is held to a bound first: the band of N_ss^-1 is known, and its other
// elements are no larger than the roots of its diagonal's. Where that is above what rho may be, rho
// is found as the norm of L_s^-1 V^T.
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
  const Neighbours<R> my{&layout, patch.pad_below + core.s, patch.nspec, shared};
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

  // Lower blocks of D, of which those farther down have fewer rows of V. Of the first and the last,
  // the second and the last but one, and so on, each warp has two.
  const FragmentLane at = fragment_lane();
  int row_of_block[blocks_of_warp], column_of_block[blocks_of_warp];
  double c[blocks_of_warp][2][4] = {};  // of each eight columns
#pragma unroll
  for (int k = 0; k < blocks_of_warp; ++k) {
    const int number = k % 2 == 0 ? k * warps + warp : (k + 1) * warps - 1 - warp;
    int row = 0;  // of blocks; those before it have row (row + 1) / 2
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

  // D, both triangles, in place of V.
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
  double* E = complements.outside + static_cast<size_t>(blockIdx.x) * m * m;
  double bound = 0;
  for (int i = warp; i < m; i += warps)
    for (int j = lane; j < m; j += warp_size) {
      const double d = D[i * ld + j];
      const int apart = abs(i - j);
      E[i * m + j] = apart > R ? d : 0.0;
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
    const auto kernel = staged ? solve_kernel<R, true> : solve_kernel<R, false>;
    allow_shared_memory(reinterpret_cast<const void*>(kernel));
    kernel<<<count, solve_threads, staged ? bytes : least, stream>>>(patches, first_end, layout,
                                                                     bands, solution);
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
