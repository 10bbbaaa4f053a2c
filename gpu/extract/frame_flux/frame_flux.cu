#include <cmath>

#include <cuda_pipeline.h>

#include "gpu/core/launch.hpp"
#include "gpu/extract/frame_flux/frame_flux.hpp"
#include "gpu/extract/normal_equations/fiber_reach.hpp"
#include "gpu/extract/normal_equations/prior_device.cuh"
#include "gpu/linalg/cyclic_reduction_solve.cuh"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 128;
constexpr int between_threads =
    256;  // threads that eliminate the first blocks of a fiber's segments
constexpr int segment_threads = 96;  // one row of a segment each

template <int R>
__device__ ReducedBand<R> factor_of(const FrameSystem& system, int s) {
  return {system.m, system.factor + s * ReducedBand<R>::numbers(system.m)};
}

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

__global__ void prior_kernel(const PatchGeometry* patches, int nwave, PriorInput input,
                             int first_spec, FrameSystem system) {
  const PatchGeometry patch = patches[blockIdx.x];
  const double scale =
      prior_scale<threads>(patch, input.strides, input.q + input.strides.patch(blockIdx.x));
  // The core's bins; for the first and the last step also the bins up to the ends of the grid.
  const int wave0 = patch.wave0 - system.before;
  const int first = wave0 + patch.wavepad;
  const int last = first + patch.nkept;
  const int begin = wave0 == 0 ? 0 : first;
  const int end = last == patch.wavepad + nwave ? system.m : last;
  for (int k = threadIdx.x; k < patch.ncore * (end - begin); k += threads) {
    const int s = patch.spec0 - first_spec + patch.pad_below + k / (end - begin);
    const size_t bin = system.bands.bin(s, begin + k % (end - begin));
    system.prior[bin] = spex::prior(system.bands.q[bin], scale, input.regularize);
  }
}

// One block per segment of a fiber.
template <int R>
__global__ void __launch_bounds__(threads) factor_segment_kernel(FrameSystem system) {
  const int s = blockIdx.y;
  const BundleOfFiber place = system.place[s];
  if (place.begin == place.end) return;
  const double* band = system.bands.band + system.bands.bin(s, 0) * (R + 1);
  const double* prior = system.prior + system.bands.bin(s, 0);
  const int m = system.m;
  const bool good = reduce_segment(factor_of<R>(system, s), blockIdx.x, [&](int j, int d) {
    return j + d < m ? band[j * (R + 1) + d] + (d == 0 ? prior[j] : 0.0) : 0.0;
  });
  if (!good) system.refused[place.bundle] = 1;
}

// One block per fiber.
template <int R>
__global__ void __launch_bounds__(between_threads) factor_between_kernel(FrameSystem system) {
  const BundleOfFiber place = system.place[blockIdx.x];
  if (place.begin == place.end) return;
  if (!reduce_between(factor_of<R>(system, blockIdx.x))) system.refused[place.bundle] = 1;
}

// A block a segment of a fiber.
template <int R>
__global__ void __launch_bounds__(segment_threads) factor_finish_kernel(FrameSystem system) {
  __shared__ FinishedSegment<R> shared;
  const BundleOfFiber place = system.place[blockIdx.y];
  if (place.begin != place.end)
    finish_segment(factor_of<R>(system, blockIdx.y), blockIdx.x, shared);
}

// Whether the bundle converged in sweeps before `sweep`.
__device__ bool ended(const FrameSystem& system, int bundle, int sweep) {
  const double* moved = system.moved + bundle;
  const auto of = [&](int k) { return k < 0 ? HUGE_VAL : moved[k * system.nbundles]; };
  return sweep > 0 && frame_bounds::ended(of(sweep - 2), of(sweep - 1), system.foreseen);
}

// Half a sweep: the fibers of one color, from a fiber on.
struct Sweep {
  int number;
  int color;
  int first_fiber;
};

__device__ bool rests(const FrameSystem& system, const BundleOfFiber& place, int s,
                      const Sweep& sweep) {
  return place.begin == place.end || system.refused[place.bundle] != 0 ||
         (s - place.begin) % 2 != sweep.color || ended(system, place.bundle, sweep.number);
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
  const int s = sweep.first_fiber + static_cast<int>(blockIdx.y), first = blockIdx.x * rows;
  const BundleOfFiber place = system.place[s];
  if (rests(system, place, s, sweep)) return;
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
  const int s = sweep.first_fiber + static_cast<int>(blockIdx.x);
  if (rests(system, system.place[s], s, sweep)) return;
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
  const int s = sweep.first_fiber + static_cast<int>(blockIdx.y), first = blockIdx.x * rows;
  const BundleOfFiber place = system.place[s];
  if (rests(system, place, s, sweep)) return;
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
  take_largest(moved, system.moved + sweep.number * system.nbundles + place.bundle);
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

void find_frame_prior(const BatchView& batch, int nwave, const PriorInput& input,
                      const FrameSystem& system, cudaStream_t stream) {
  prior_kernel<<<batch.count, threads, 0, stream>>>(batch.patches, nwave, input,
                                                    batch.spots.first_spec, system);
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
  const std::size_t flags = count_of(max_frame_sweeps, system.nbundles) * sizeof(double);
  SPEX_GPU_CHECK(cudaMemsetAsync(system.moved, 0, flags, stream));
  SPEX_GPU_CHECK(cudaMemsetAsync(system.refused, 0, system.nbundles * sizeof(int), stream));
  const std::size_t bytes = count_of(system.bands.nspec, system.bands.nwave) * sizeof(double);
  SPEX_GPU_CHECK(cudaMemsetAsync(system.f, 0, bytes, stream));
}

void factor_frame(const FrameSystem& system, cudaStream_t stream) {
  with_reach(system.bands.reach, [&]<int R>() {
    const int nspec = system.bands.nspec;
    const dim3 segments(ReducedBand<R>::segments(system.m), nspec);
    factor_segment_kernel<R><<<segments, threads, 0, stream>>>(system);
    factor_between_kernel<R><<<nspec, between_threads, 0, stream>>>(system);
    factor_finish_kernel<R><<<segments, segment_threads, 0, stream>>>(system);
  });
  SPEX_LAUNCH_CHECK();
}

void sweep_frame(const FrameSystem& system, int first, int last, const FiberRange& fibers,
                 cudaStream_t stream) {
  const int count = fibers.end - fibers.begin;
  if (count == 0) return;
  with_reach(system.bands.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(sweep_between_kernel<R>));
    const dim3 segments(ReducedBand<R>::segments(system.m), count);
    const std::size_t bytes = between_bytes<R>(system.m);
    for (Sweep sweep{first, 0, fibers.begin}; sweep.number < last; ++sweep.number)
      for (const int color : {0, 1}) {
        sweep.color = color;
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
