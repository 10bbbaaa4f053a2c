#include <cuda_pipeline.h>

#include "gpu/core/block.cuh"
#include "gpu/core/launch.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/extract/fibers/fiber_cholesky_solve.hpp"
#include "gpu/extract/fibers/fiber_substitution.cuh"
#include "gpu/extract/normal_equations/fiber_reach.hpp"
#include "gpu/linalg/band_lanes.cuh"
#include "reference/core/count.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int factored_together = 8;  // spectra of a warp of factor_kernel
constexpr int solve_threads = 128;

// Distance between the bands of two spectra in shared memory. The distance is odd, so that lanes
// that read the same element of their spectra use different banks.
__host__ __device__ constexpr int factor_stride(int band_size) {
  return band_size | 1;
}
static_assert(factored_together * factor_stride(largest_fiber_bins * (largest_fiber_reach + 1)) *
                  sizeof(double) <=
              smallest_shared_memory);

// A warp factors `factored_together` spectra, one per lane. The warp reads their bands into shared
// memory, where the factors and then the bands of the inverses replace the bands.
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
  double trace = 0, kept = 0;
  if (mine) {
    const PatchGeometry& patch = patches[k / layout.nslots];
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
          if (j >= patch.wavepad && j < patch.wavepad + patch.nkept) kept += z[0];
        });
  }
  __syncwarp();
  for_each_number([&](double& here, size_t at) { solution.inverse[at] = here; });
  if (!mine) return;
  solution.trace[k] = trace;
  solution.kept[k] = kept;
  if (!good || !isfinite(trace)) status[k / layout.nslots] = guarded;
}

// The larger number, or NaN if one is NaN.
__device__ double larger_or_nan(double a, double b) {
  return a >= b || isnan(a) ? a : b;
}

// The vectors of a patch's sweeps, `[spectrum][bin]`, and its N_{s+1,s}.
struct SweptPatch {
  const double* pair;
  int pair_size;
  const double* y;
  const double* f;
  double *x, *g;
};

// x = y - sum over neighbors t of N_st f_t, for the spectra of one color, s = 2 k + color; also
// stored in g. Called by the whole block.
template <int R>
__device__ void subtract_neighbors(const PatchGeometry& patch, SweptPatch swept, int color) {
  const auto [pair, pair_size, y, f, x, g] = swept;
  const int m = patch.nwave;
  const int of_color = (patch.nspec - color + 1) / 2;
  // Neighbor s - 1, by the columns of N_{s,s-1}: a warp does 32 bins, and loads several columns
  // together.
  constexpr int columns = warp_size + 2 * R;
  constexpr int together = columns / (columns % 4 == 0 ? 4 : 5);
  static_assert(columns % together == 0);
  const int chunks = (m + warp_size - 1) / warp_size;
  const int lane = threadIdx.x % warp_size;
  for (int k = threadIdx.x / warp_size; k < of_color * chunks; k += solve_threads / warp_size) {
    const int s = 2 * (k / chunks) + color;
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
  // Neighbor s + 1, by the rows of N_{s,s+1}: several lanes per bin.
  constexpr int lanes = 4;
  for (int k = threadIdx.x; k < of_color * m * lanes; k += solve_threads) {
    const int s = 2 * (k / lanes / m) + color, w = k / lanes % m;
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

// One block per patch. With Staged, the factors are in shared memory.
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
  double* y = solution.f + first * m;
  const SweptPatch swept{
      bands.pair + first * layout.pair_size(), layout.pair_size(), y, f, x, solution.g + first * m};
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
  double before = 0;
  bool moves = true;
  for (int sweep = 1; sweep <= fiber_sweeps::most && moves; ++sweep) {
    double move = 0;  // squared
    for (int color = 0; color < 2; ++color) {
      // All f are zero at first.
      if (sweep + color > 1) subtract_neighbors<R>(patch, swept, color);
      // A thread a spectrum.
      for (int s = 2 * threadIdx.x + color; s < patch.nspec; s += 2 * solve_threads) {
        double* mine = x + s * m;
        const double* L = factor + s * layout.band_size();
        forward<R>(
            0, m, L, [&](int w) { return mine[w]; }, [&](int w, double v) { mine[w] = v; });
        backward<R>(m, L, mine);
      }
      __syncthreads();
      const int of_color = (patch.nspec - color + 1) / 2 * m;
      for (int k = threadIdx.x; k < of_color; k += solve_threads) {
        const int s = 2 * (k / m) + color, w = k % m;
        const double step = x[s * m + w] - f[s * m + w];
        move = larger_or_nan(move, step * step * band[s * layout.band_size() + w * (R + 1)]);
        f[s * m + w] = x[s * m + w];
      }
      __syncthreads();
    }
    const double now = sqrt(
        merge_block<solve_threads>(move, [](double a, double b) { return larger_or_nan(a, b); }));
    moves = sweep < fiber_sweeps::least ||
            !(fiber_sweeps::next_move(sweep, before, now) <= fiber_sweeps::gpu_settled);
    before = now;
  }
  // g of the second color belongs to the last sweep, and so does f of the first color.
  subtract_neighbors<R>(patch, swept, 0);
  for (int j = threadIdx.x; j < patch.n(); j += solve_threads) y[j] = f[j];
}

}  // namespace

int stored_reach(int reach) {
  for (const int R : {8, 9, 10, largest_fiber_reach})
    if (reach <= R && (small_reaches || R == largest_fiber_reach)) return R;
  return 0;
}

void factor_fibers(const FiberBatch& batch, const FiberSolution& solution, cudaStream_t stream) {
  const FiberLayout& layout = batch.layout;
  with_reach(layout.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(factor_kernel<R>));
    const int blocks =
        blocks_for(static_cast<long long>(batch.view.count) * layout.nslots, factored_together);
    const std::size_t bytes =
        count_of(factored_together, factor_stride(layout.band_size())) * sizeof(double);
    factor_kernel<R><<<blocks, warp_size, bytes, stream>>>(
        batch.view.patches, batch.view.count, layout, batch.bands, solution, batch.view.status);
  });
  SPEX_LAUNCH_CHECK();
}

void solve_fibers(const FiberBatch& batch, const FiberSolution& solution, int first_end,
                  cudaStream_t stream) {
  const FiberLayout& layout = batch.layout;
  const std::size_t least = solve_fibers_bytes(layout.nslots, layout.nwave);
  const std::size_t bytes = least + count_of(layout.nslots, layout.band_size()) * sizeof(double);
  const bool staged = bytes <= max_shared_memory();
  with_reach(layout.reach, [&]<int R>() {
    const auto kernel = staged ? solve_kernel<R, true> : solve_kernel<R, false>;
    allow_shared_memory(reinterpret_cast<const void*>(kernel));
    kernel<<<batch.view.count, solve_threads, staged ? bytes : least, stream>>>(
        batch.view.patches, first_end, layout, batch.bands, solution);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
