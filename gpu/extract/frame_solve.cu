#include <cmath>

#include "gpu/core/launch.hpp"
#include "gpu/extract/cyclic_reduction.cuh"
#include "gpu/extract/fiber_reach.hpp"
#include "gpu/extract/frame_solve.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 128;
constexpr int factor_threads = 256;
constexpr int solve_threads = 512;

template <int R>
__device__ ReducedBand<R> factor_of(const FrameSystem& system, int s) {
  return {system.m, system.factor + s * ReducedBand<R>::numbers(system.m)};
}

// Shared memory of sweep_kernel: the right-hand side and the solution.
template <int R>
std::size_t sweep_bytes(int m) {
  return sizeof(double) * count_of(2, ReducedBand<R>::blocks(m) * R);
}

__global__ void prior_kernel(const PatchGeometry* patches, int nwave, BinStrides strides,
                             const double* q, double regularize, int first_spec,
                             FrameSystem system) {
  __shared__ double largest[threads];
  const PatchGeometry patch = patches[blockIdx.x];
  const double* mine = q + strides.patch(blockIdx.x);
  double most = 0;
  for (int j = threadIdx.x; j < patch.n(); j += threads)
    most = fmax(most, mine[strides.bin(j / patch.nwave, j % patch.nwave)]);
  largest[threadIdx.x] = most;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step)
      largest[threadIdx.x] = fmax(largest[threadIdx.x], largest[threadIdx.x + step]);
    __syncthreads();
  }
  const double scale = 1e-4 * largest[0];
  // The core's bins, and beyond the first and the last step those up to the grid's ends.
  const int first = patch.wave0 + patch.wavepad;
  const int last = first + patch.nkept;
  const int begin = patch.wave0 == 0 ? 0 : first;
  const int end = last == patch.wavepad + nwave ? system.m : last;
  for (int k = threadIdx.x; k < patch.ncore * (end - begin); k += threads) {
    const int s = patch.spec0 - first_spec + patch.pad_below + k / (end - begin);
    const size_t bin = system.bands.bin(s, begin + k % (end - begin));
    const double of_bin = system.bands.q[bin];
    const double lambda = of_bin <= scale ? scale - of_bin : regularize;
    system.prior[bin] = lambda * lambda + 1e-15;
  }
}

// A block a fiber.
template <int R>
__global__ void __launch_bounds__(factor_threads) factor_kernel(FrameSystem system) {
  const int s = blockIdx.x;
  const BundleOfFiber place = system.place[s];
  if (place.begin == place.end) return;
  const double* band = system.bands.band + system.bands.bin(s, 0) * (R + 1);
  const double* prior = system.prior + system.bands.bin(s, 0);
  const int m = system.m;
  const bool good = reduce_band(factor_of<R>(system, s), [&](int j, int d) {
    return j + d < m ? band[j * (R + 1) + d] + (d == 0 ? prior[j] : 0.0) : 0.0;
  });
  if (!good) system.refused[place.bundle] = 1;
}

// A spot's lower-left pixel on the CCD, and its values.
struct PlacedSpot {
  int x, y;
  const double* value;
};
__device__ PlacedSpot spot_at(const SpotsView& spots, int s, int v) {
  const int fiber = spots.first_spec + s;
  const size_t corner = static_cast<size_t>(fiber) * spots.nwave + v;
  const size_t spot = static_cast<size_t>(spots.row_of(fiber)) * spots.nwave + v;
  return {spots.xc[corner], spots.yc[corner], spots.value + spot * spots.nx * spots.ny};
}

// sum_i A_ia W_i A_ib.
__device__ double overlap(const SpotsView& spots, const PixelsView& pixels, const PlacedSpot& a,
                          const PlacedSpot& b) {
  const int x1 = min(min(a.x, b.x) + spots.nx, pixels.nx);
  const int y1 = min(min(a.y, b.y) + spots.ny, pixels.ny);
  double sum = 0;
  for (int y = max(max(a.y, b.y), 0); y < y1; ++y)
    for (int x = max(max(a.x, b.x), 0); x < x1; ++x)
      sum += a.value[(y - a.y) * spots.nx + x - a.x] *
             pixels.W[static_cast<size_t>(y) * pixels.nx + x] *
             b.value[(y - b.y) * spots.nx + x - b.x];
  return sum;
}

// A block a fiber, a warp a bin that shares light without its prior.
__global__ void far_kernel(SpotsView spots, PixelsView pixels, FrameSystem system) {
  const int s = blockIdx.x;
  const BundleOfFiber place = system.place[s];
  const FrameBands& N = system.bands;
  const auto diagonal = [&](int fiber, int v) {
    return N.band[N.bin(fiber, v) * (N.reach + 1)] + system.prior[N.bin(fiber, v)];
  };
  for (int v = threadIdx.x / warp_size; v < system.m; v += threads / warp_size) {
    if (place.begin == place.end || N.far[N.bin(s, v)] == 0) continue;
    const PlacedSpot spot = spot_at(spots, s, v);
    for (int u = s + 2; u < place.end; ++u)
      for (int w = threadIdx.x % warp_size; w < system.m; w += warp_size) {
        const double shared = overlap(spots, pixels, spot, spot_at(spots, u, w));
        if (!(shared <= fiber_bounds::far * sqrt(diagonal(s, v) * diagonal(u, w))))
          system.refused[place.bundle] = 1;
      }
  }
}

// Sweeps of the bundle before `sweep` were enough.
__device__ bool ended(const FrameSystem& system, int bundle, int sweep) {
  const double* moved = system.moved + bundle;
  const auto of = [&](int k) { return k < 0 ? HUGE_VAL : moved[k * system.nbundles]; };
  return sweep > 0 && frame_bounds::ended(of(sweep - 2), of(sweep - 1));
}

__device__ bool rests(const FrameSystem& system, const BundleOfFiber& place, int s, int sweep,
                      int colour) {
  return place.begin == place.end || system.refused[place.bundle] != 0 ||
         (s - place.begin) % 2 != colour || ended(system, place.bundle, sweep);
}

__global__ void pairs_kernel(FrameSystem system) {
  const FrameBands& N = system.bands;
  const int s = blockIdx.y, w = blockIdx.x * threads + threadIdx.x;
  if (w >= system.m || s + 1 >= system.place[s].end) return;
  const size_t bin = N.bin(s, w), bins = N.bin(N.nspec, 0);
  const int width = 2 * N.reach + 1;
  for (int d = 0; d < width; ++d) {
    const int above = w - N.reach + d;  // of fiber s + 1
    const bool exists = above >= 0 && above < N.nwave;
    system.pairs[d * bins + bin] = exists ? N.pair[bin * width + d] : 0.0;
  }
}

// y less what the neighbours of the bundle hold of bin w of fiber s.
template <int R>
__device__ double right_side(const FrameSystem& system, const BundleOfFiber& place, int s, int w) {
  const FrameBands& N = system.bands;
  const size_t bins = N.bin(N.nspec, 0);
  double sum = N.y[N.bin(s, w)];
  for (int d = 0; d <= 2 * R; ++d) {
    const double* pair = system.pairs + d * bins;
    const int above = w - R + d, below = w + R - d;
    if (s + 1 < place.end && above >= 0 && above < system.m)
      sum -= pair[N.bin(s, w)] * system.f[N.bin(s + 1, above)];
    if (s > place.begin && below >= 0 && below < system.m)
      sum -= pair[N.bin(s - 1, below)] * system.f[N.bin(s - 1, below)];
  }
  return sum;
}

// Numbers that are not negative stand in the order of their bits, and above them all what is none.
__device__ void take_largest(double value, double* largest) {
  auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
  for (int offset = warp_size / 2; offset > 0; offset /= 2)
    bits = max(bits, __shfl_xor_sync(0xffffffffU, bits, offset));
  if (threadIdx.x % warp_size == 0) atomicMax(reinterpret_cast<unsigned long long*>(largest), bits);
}

// f_s of the fibers of one colour, and whether that moves them. A block a fiber.
template <int R>
__global__ void __launch_bounds__(solve_threads)
    sweep_kernel(FrameSystem system, int sweep, int colour) {
  extern __shared__ double shared[];
  const int s = blockIdx.x;
  const BundleOfFiber place = system.place[s];
  if (rests(system, place, s, sweep, colour)) return;
  const int m = system.m;
  const int rows = ReducedBand<R>::blocks(m) * R;
  double* a = shared;
  double* x = shared + rows;
  for (int w = threadIdx.x; w < rows; w += solve_threads)
    a[w] = w < m ? right_side<R>(system, place, s, w) : 0.0;
  solve_reduced(factor_of<R>(system, s), a, x);
  const size_t first = system.bands.bin(s, 0);
  double moved = 0;
  for (int w = threadIdx.x; w < m; w += solve_threads) {
    const double N = system.bands.band[(first + w) * (R + 1)] + system.prior[first + w];
    const double move = fabs(x[w] - system.f[first + w]) * sqrt(N);
    // What is not a number, too, and that stays.
    if (!(move <= moved) && !isnan(moved)) moved = move;
    system.f[first + w] = x[w];
  }
  take_largest(moved, system.moved + sweep * system.nbundles + place.bundle);
}

__global__ void put_kernel(const PatchGeometry* patches, FiberLayout layout, FiberBands bands,
                           int first_spec, FrameSystem system, double* f_all, double* g_all) {
  const PatchGeometry patch = patches[blockIdx.y];
  const int s = blockIdx.x;
  if (s >= patch.nspec) return;
  const int m = patch.nwave, R = layout.reach;
  const size_t slot = static_cast<size_t>(blockIdx.y) * layout.nslots + s;
  double* f = f_all + slot * m;
  for (int w = threadIdx.x; w < m; w += threads)
    if (patch.wave0 + w < system.m)
      f[w] = system.f[system.bands.bin(patch.spec0 - first_spec + s, patch.wave0 + w)];
  __syncthreads();
  const double* N = bands.band + slot * layout.band_size();
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

void find_frame_prior(const PatchGeometry* patches, int count, int nwave, const BinStrides& strides,
                      const double* q, double regularize, int first_spec, const FrameSystem& system,
                      cudaStream_t stream) {
  prior_kernel<<<count, threads, 0, stream>>>(patches, nwave, strides, q, regularize, first_spec,
                                              system);
  SPEX_LAUNCH_CHECK();
}

bool frame_fits(int reach, int m) {
  return with_reach(reach, [&]<int R>() { return sweep_bytes<R>(m) <= most_shared_memory(); });
}

std::size_t frame_factor_numbers(int reach, int m) {
  return with_reach(reach, [&]<int R>() { return ReducedBand<R>::numbers(m); });
}

void begin_frame(const SpotsView& spots, const PixelsView& pixels, const FrameSystem& system,
                 cudaStream_t stream) {
  const std::size_t flags = count_of(most_frame_sweeps, system.nbundles) * sizeof(double);
  SPEX_GPU_CHECK(cudaMemsetAsync(system.moved, 0, flags, stream));
  SPEX_GPU_CHECK(cudaMemsetAsync(system.refused, 0, system.nbundles * sizeof(int), stream));
  const std::size_t bytes = count_of(system.bands.nspec, system.bands.nwave) * sizeof(double);
  SPEX_GPU_CHECK(cudaMemsetAsync(system.f, 0, bytes, stream));
  const dim3 bins(blocks_for(system.m, threads), system.bands.nspec);
  pairs_kernel<<<bins, threads, 0, stream>>>(system);
  SPEX_LAUNCH_CHECK();
  far_kernel<<<system.bands.nspec, threads, 0, stream>>>(spots, pixels, system);
  SPEX_LAUNCH_CHECK();
}

void factor_frame(const FrameSystem& system, cudaStream_t stream) {
  with_reach(system.bands.reach, [&]<int R>() {
    factor_kernel<R><<<system.bands.nspec, factor_threads, 0, stream>>>(system);
  });
  SPEX_LAUNCH_CHECK();
}

void sweep_frame(const FrameSystem& system, int first, int last, cudaStream_t stream) {
  with_reach(system.bands.reach, [&]<int R>() {
    allow_shared_memory(reinterpret_cast<const void*>(sweep_kernel<R>));
    for (int sweep = first; sweep < last; ++sweep)
      for (const int colour : {0, 1})
        sweep_kernel<R><<<system.bands.nspec, solve_threads, sweep_bytes<R>(system.m), stream>>>(
            system, sweep, colour);
  });
  SPEX_LAUNCH_CHECK();
}

void put_frame_flux(const PatchGeometry* patches, int count, const FiberLayout& layout,
                    const FiberBands& bands, int first_spec, const FrameSystem& system, double* f,
                    double* g, cudaStream_t stream) {
  put_kernel<<<dim3(layout.nslots, count), threads, 0, stream>>>(patches, layout, bands, first_spec,
                                                                 system, f, g);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
