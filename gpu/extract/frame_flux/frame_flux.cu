#include <cmath>

#include <cuda_pipeline.h>

#include "gpu/core/launch.hpp"
#include "gpu/extract/frame_flux/frame_factor.cuh"
#include "gpu/extract/frame_flux/frame_flux.hpp"
#include "gpu/extract/normal_equations/fiber_reach.hpp"
#include "gpu/linalg/cyclic_reduction_solve.cuh"
#include "reference/extract/fiber_cholesky.hpp"
#include "reference/extract/prior.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 128;
constexpr int between_threads = 256;  // of the first blocks of a fiber's segments
constexpr int segment_threads = 96;   // one row of a segment each
// Factors keep a block in registers: small thread blocks let more of them run at once.
constexpr int factor_segment_threads = 64;
constexpr int factor_between_threads = 96;

// Size of a fiber in `sides`: the rows of its blocks, and R rows per segment for the contribution
// of the previous segment.
template <int R>
__host__ __device__ constexpr int side_rows(int m) {
  return ReducedBand<R>::blocks(m) * R;
}
template <int R>
__host__ __device__ constexpr int side_numbers(int m) {
  return side_rows<R>(m) + ReducedBand<R>::segments(m) * R;
}
template <int R>
__device__ double* side_of(const FrameSystem& system, int s) {
  return system.sides + static_cast<size_t>(s) * side_numbers<R>(system.m);
}

// Shared memory of sweep_between_kernel: R rows per segment of the right-hand side and of the
// solution.
template <int R>
std::size_t between_bytes(int m) {
  return sizeof(double) * count_of(2 * R, ReducedBand<R>::segments(m));
}

__global__ void prior_kernel(const PatchGeometry* patches, FramePriorInput input, int first_spec,
                             FrameSystem system) {
  const PatchGeometry patch = patches[blockIdx.x];
  const double scale = input.scales[blockIdx.x];
  // The core's bins; for the first and the last step also the bins up to the ends of the grid.
  const int wave0 = patch.wave0 - system.before;
  const int first = wave0 + patch.wavepad;
  const int last = first + patch.nkept;
  const int begin = wave0 == 0 ? 0 : first;
  const int end = last == patch.wavepad + input.nwave ? system.m : last;
  for (int k = threadIdx.x; k < patch.ncore * (end - begin); k += threads) {
    const int s = patch.spec0 - first_spec + patch.pad_below + k / (end - begin);
    const size_t bin = system.bands.bin(s, begin + k % (end - begin));
    system.prior[bin] = spex::prior(system.bands.q[bin], scale, input.regularize);
  }
}

// One block per segment of a fiber.
template <int R>
__global__ void __launch_bounds__(factor_segment_threads)
    factor_segment_kernel(FrameSystem system) {
  const int s = blockIdx.y;
  const BundleOfFiber place = system.place[s];
  if (place.begin == place.end) return;
  const double* band = system.bands.band + system.bands.bin(s, 0) * (R + 1);
  const double* prior = system.prior + system.bands.bin(s, 0);
  const int m = system.m;
  __shared__ SegmentBlocks<R> shared;
  const bool good = reduce_segment(
      factor_of<R>(system, s), blockIdx.x,
      [&](int j, int d) {
        return j + d < m ? band[j * (R + 1) + d] + (d == 0 ? prior[j] : 0.0) : 0.0;
      },
      shared);
  if (!good) system.refused[place.bundle] = 1;
}

// One block per fiber.
template <int R>
__global__ void __launch_bounds__(factor_between_threads)
    factor_between_kernel(FrameSystem system) {
  const BundleOfFiber place = system.place[blockIdx.x];
  if (place.begin == place.end) return;
  __shared__ FirstBlocks<R> shared;
  if (!reduce_between(factor_of<R>(system, blockIdx.x), shared)) system.refused[place.bundle] = 1;
}

// Whether the bundle converged in sweeps before `sweep`.
__device__ bool ended(const FrameSystem& system, int bundle, int sweep) {
  const SweepMoves* moved = system.moved + bundle;
  const auto of = [&](int k) {
    return k < 0 ? SweepMoves{HUGE_VAL, HUGE_VAL} : moved[k * system.nbundles];
  };
  return sweep > 0 && enough_sweeps(sweep, of(sweep - 2), of(sweep - 1), system.of_test);
}

// Half a sweep: the fibers of one color, from one of ColoredFibers on.
struct Sweep {
  int number;
  int color;
  int first;
};

__device__ bool rests(const FrameSystem& system, const BundleOfFiber& place, const Sweep& sweep) {
  return system.refused[place.bundle] != 0 || ended(system, place.bundle, sweep.number);
}

// N_st and f_t of the fibers next to s for the rows of a segment: the upper fiber at the segment's
// rows, the lower fiber from R bins before to R bins after.
template <int R>
struct Neighbors {
  static constexpr int rows = ReducedBand<R>::segment_rows;
  static constexpr int width = 2 * R + 1;
  double pair_above[rows * width];
  double pair_below[(rows + 2 * R) * width];
  double f_above[rows + 2 * R];
  double f_below[rows + 2 * R];
};

// Called by a whole thread block, which must synchronize before use.
template <int R>
__device__ void load(const FrameSystem& system, const BundleOfFiber& place, int s, int first,
                     Neighbors<R>& shared) {
  using Of = Neighbors<R>;
  const FrameBands& N = system.bands;
  const auto copy = [&](const double* from, int count, double* to) {
    for (int k = threadIdx.x; k < count; k += segment_threads)
      __pipeline_memcpy_async(to + k, from + k, sizeof(double));
  };
  const int begin = max(first - R, 0);
  const int reached = min(first + Of::rows + R, system.m) - begin;
  if (s + 1 < place.end) {
    const int rows = min(Of::rows, system.m - first);
    copy(N.pair + N.bin(s, first) * Of::width, rows * Of::width, shared.pair_above);
    copy(system.f + N.bin(s + 1, begin), reached, shared.f_above + begin - first + R);
  }
  if (s > place.begin) {
    const int skipped = begin - first + R;
    copy(N.pair + N.bin(s - 1, begin) * Of::width, reached * Of::width,
         shared.pair_below + skipped * Of::width);
    copy(system.f + N.bin(s - 1, begin), reached, shared.f_below + skipped);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

// y minus the contributions of the bundle's neighboring fibers to bin w of fiber s.
template <int R>
__device__ double right_side(const FrameSystem& system, const BundleOfFiber& place, int s, int w,
                             int first, const Neighbors<R>& shared) {
  constexpr int width = Neighbors<R>::width;
  double sum = system.bands.y[system.bands.bin(s, w)];
  for (int d = 0; d < width; ++d) {
    const int above = w - R + d, below = w + R - d;
    const int row = below - first + R;
    if (s + 1 < place.end && above >= 0 && above < system.m)
      sum -= shared.pair_above[(w - first) * width + d] * shared.f_above[above - first + R];
    if (s > place.begin && below >= 0 && below < system.m)
      sum -= shared.pair_below[row * width + d] * shared.f_below[row];
  }
  return sum;
}

// Atomic maximum: non-negative doubles are ordered like their bits, and NaN is above them.
__device__ void take_largest(double value, double* largest) {
  auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
  for (int offset = warp_size / 2; offset > 0; offset /= 2)
    bits = max(bits, __shfl_xor_sync(0xffffffffU, bits, offset));
  if (threadIdx.x % warp_size == 0) atomicMax(reinterpret_cast<unsigned long long*>(largest), bits);
}

// Computes y_s - sum_t N_st f_t of the fibers of one color, and the forward pass in each segment.
// One block per segment of a fiber.
template <int R>
__global__ void __launch_bounds__(segment_threads)
    sweep_down_kernel(FrameSystem system, Sweep sweep) {
  constexpr int rows = ReducedBand<R>::segment_rows;
  __shared__ Neighbors<R> neighbors;
  __shared__ double a[rows];
  const int s = system.colored[sweep.first + blockIdx.y], first = blockIdx.x * rows;
  const BundleOfFiber place = system.place[s];
  if (rests(system, place, sweep)) return;
  // Initially all f are 0, as for a fiber without neighbors.
  const bool begins = sweep.number == 0 && sweep.color == 0;
  const BundleOfFiber beside = begins ? BundleOfFiber{s, s + 1, place.bundle} : place;
  load(system, beside, s, first, neighbors);
  for (int w = threadIdx.x; w < rows; w += segment_threads)
    a[w] = first + w < system.m ? right_side(system, beside, s, first + w, first, neighbors) : 0.0;
  double* side = side_of<R>(system, s);
  double* next = side + side_rows<R>(system.m) + (blockIdx.x + 1) * R;
  solve_segment_down(factor_of<R>(system, s), blockIdx.x, a, next);
  const int mine = min(rows, side_rows<R>(system.m) - first);
  for (int w = threadIdx.x; w < mine; w += segment_threads) side[first + w] = a[w];
}

// Solves for f of the segments' first blocks. One block per fiber.
template <int R>
__global__ void __launch_bounds__(between_threads)
    sweep_between_kernel(FrameSystem system, Sweep sweep) {
  extern __shared__ double shared[];
  const int s = system.colored[sweep.first + blockIdx.x];
  if (rests(system, system.place[s], sweep)) return;
  double* side = side_of<R>(system, s);
  double* x = shared + ReducedBand<R>::segments(system.m) * R;
  solve_between(factor_of<R>(system, s), side, side + side_rows<R>(system.m), shared, x);
}

// Computes f_s and its largest change. One block per segment of a fiber.
template <int R>
__global__ void __launch_bounds__(segment_threads)
    sweep_up_kernel(FrameSystem system, Sweep sweep) {
  constexpr int rows = ReducedBand<R>::segment_rows;
  __shared__ double a[rows], x[rows + R];
  const int s = system.colored[sweep.first + blockIdx.y], first = blockIdx.x * rows;
  const BundleOfFiber place = system.place[s];
  if (rests(system, place, sweep)) return;
  const double* side = side_of<R>(system, s) + first;
  const int left = side_rows<R>(system.m) - first;
  for (int w = threadIdx.x; w < min(rows + R, left); w += segment_threads) {
    if (w < rows) a[w] = side[w];
    if (w < R || w >= rows) x[w] = side[w];
  }
  solve_segment_up(factor_of<R>(system, s), blockIdx.x, a, x);
  const size_t bin = system.bands.bin(s, first);
  double moved = 0;
  for (int w = threadIdx.x; w < min(rows, system.m - first); w += segment_threads) {
    const double N = system.bands.band[(bin + w) * (R + 1)] + system.prior[bin + w];
    const double move = fabs(x[w] - system.f[bin + w]) * sqrt(N);
    // Also takes NaN, and keeps it.
    if (!(move <= moved) && !isnan(moved)) moved = move;
    system.f[bin + w] = x[w];
  }
  SweepMoves& of_bundle = system.moved[sweep.number * system.nbundles + place.bundle];
  take_largest(moved, sweep.color == 0 ? &of_bundle.first : &of_bundle.second);
}

__global__ void put_kernel(FiberBatch batch, FrameSystem system, double* f_all, double* g_all) {
  const FiberLayout layout = batch.layout;
  const PatchGeometry patch = batch.view.patches[blockIdx.y];
  const int s = blockIdx.x;
  if (s >= patch.nspec) return;
  const int m = patch.nwave, R = layout.reach;
  const size_t slot = static_cast<size_t>(blockIdx.y) * layout.nslots + s;
  double* f = f_all + slot * m;
  const int wave0 = patch.wave0 - system.before;
  for (int w = threadIdx.x; w < m; w += threads)
    if (wave0 + w < system.m)
      f[w] = system.f[system.bands.bin(patch.spec0 - batch.view.spots.first_spec + s, wave0 + w)];
  __syncthreads();
  const double* N = batch.bands.band + slot * layout.band_size();
  for (int w = threadIdx.x; w < m; w += threads) {
    double sum = N[w * (R + 1)] * f[w];
    for (int d = 1; d <= R; ++d) {
      if (w + d < m) sum += N[w * (R + 1) + d] * f[w + d];
      if (w >= d) sum += N[(w - d) * (R + 1) + d] * f[w - d];
    }
    g_all[slot * m + w] = sum;
  }
}

}  // namespace

void find_frame_prior(const BatchView& batch, const FramePriorInput& input,
                      const FrameSystem& system, cudaStream_t stream) {
  prior_kernel<<<batch.count, threads, 0, stream>>>(batch.patches, input, batch.spots.first_spec,
                                                    system);
  SPEX_LAUNCH_CHECK();
}

bool frame_fits(int reach, int m) {
  return with_reach(reach, [&]<int R>() { return between_bytes<R>(m) <= max_shared_memory(); });
}

std::size_t frame_factor_numbers(int reach, int m) {
  return with_reach(reach, [&]<int R>() { return ReducedBand<R>::numbers(m); });
}

std::size_t frame_side_numbers(int reach, int m) {
  return with_reach(reach, [&]<int R>() { return count_of(side_numbers<R>(m)); });
}

void begin_frame(const FrameSystem& system, cudaStream_t stream) {
  const std::size_t moves = count_of(max_frame_sweeps, system.nbundles) * sizeof(SweepMoves);
  SPEX_GPU_CHECK(cudaMemsetAsync(system.moved, 0, moves, stream));
  SPEX_GPU_CHECK(cudaMemsetAsync(system.refused, 0, system.nbundles * sizeof(int), stream));
  const std::size_t bytes = count_of(system.bands.nspec, system.bands.nwave) * sizeof(double);
  SPEX_GPU_CHECK(cudaMemsetAsync(system.f, 0, bytes, stream));
}

void factor_frame(const FrameSystem& system, cudaStream_t stream) {
  with_reach(system.bands.reach, [&]<int R>() {
    const int nspec = system.bands.nspec;
    const dim3 segments(ReducedBand<R>::segments(system.m), nspec);
    factor_segment_kernel<R><<<segments, factor_segment_threads, 0, stream>>>(system);
    factor_between_kernel<R><<<nspec, factor_between_threads, 0, stream>>>(system);
  });
  SPEX_LAUNCH_CHECK();
}

ColoredFibers color_fibers(const std::vector<BundleOfFiber>& place) {
  ColoredFibers colored;
  for (const int color : {0, 1}) {
    colored.first_of_second = color == 0 ? 0 : static_cast<int>(colored.fibers.size());
    for (int s = 0; s < static_cast<int>(place.size()); ++s)
      if (place[s].begin != place[s].end && (s - place[s].begin) % 2 == color)
        colored.fibers.push_back(s);
  }
  return colored;
}

void sweep_frame(const FrameSystem& system, int first, int last, const ColoredRange& fibers,
                 cudaStream_t stream) {
  with_reach(system.bands.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(sweep_between_kernel<R>));
    const std::size_t bytes = between_bytes<R>(system.m);
    for (int number = first; number < last; ++number)
      for (const int color : {0, 1}) {
        const int count = fibers.count(color);
        if (count == 0) continue;
        const Sweep sweep{number, color, fibers.begin[color]};
        const dim3 segments(ReducedBand<R>::segments(system.m), count);
        sweep_down_kernel<R><<<segments, segment_threads, 0, stream>>>(system, sweep);
        sweep_between_kernel<R><<<count, between_threads, bytes, stream>>>(system, sweep);
        sweep_up_kernel<R><<<segments, segment_threads, 0, stream>>>(system, sweep);
      }
  });
  SPEX_LAUNCH_CHECK();
}

void put_frame_flux(const FiberBatch& batch, const FrameSystem& system, double* f, double* g,
                    cudaStream_t stream) {
  put_kernel<<<dim3(batch.layout.nslots, batch.view.count), threads, 0, stream>>>(batch, system, f,
                                                                                  g);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
