#include "gpu/core/launch.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/extract/fiber_reach.hpp"
#include "gpu/extract/frame_solve.hpp"
#include "gpu/extract/lane_band.cuh"

namespace spex::gpu {
namespace {

constexpr int threads = 128;
constexpr int factor_threads = 32;

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

// A thread a fiber.
template <int R>
__global__ void __launch_bounds__(factor_threads) factor_kernel(FrameSystem system) {
  const int s = blockIdx.x * factor_threads + threadIdx.x;
  if (s >= system.bands.nspec) return;
  const BundleOfFiber place = system.place[s];
  if (place.begin == place.end) return;
  const double* band = system.bands.band + system.bands.bin(s, 0) * (R + 1);
  const double* prior = system.prior + system.bands.bin(s, 0);
  double* factor = system.factor + system.bands.bin(s, 0) * (R + 1);
  const int m = system.m;
  const bool good = factor_band<R>(
      m,
      [&](int j, int d) {
        return j + d < m ? band[j * (R + 1) + d] + (d == 0 ? prior[j] : 0.0) : 0.0;
      },
      [&](int j, const double(&l)[R + 1]) {
#pragma unroll
        for (int d = 0; d <= R; ++d) factor[j * (R + 1) + d] = l[d];
      });
  if (!good) system.moved[most_frame_sweeps * system.nbundles + place.bundle] = 1;
}

// Fibers of this bundle two or more apart share light in some bin. A block a fiber.
__global__ void far_kernel(FrameSystem system) {
  const BundleOfFiber place = system.place[blockIdx.x];
  if (place.begin == place.end) return;
  // The band looks beyond the bundle too, so that its last fibers may be refused without need.
  for (int v = threadIdx.x; v < system.m; v += threads)
    if (system.bands.far[system.bands.bin(blockIdx.x, v)] != 0)
      system.moved[most_frame_sweeps * system.nbundles + place.bundle] = 1;
}

__device__ bool rests(const FrameSystem& system, const BundleOfFiber& place, int s, int sweep,
                      int colour) {
  return place.begin == place.end || (s - place.begin) % 2 != colour ||
         (sweep > 0 && system.moved[(sweep - 1) * system.nbundles + place.bundle] == 0);
}

// x = y less what the neighbours of the bundle hold of it. A thread a bin.
__global__ void right_side_kernel(FrameSystem system, int sweep, int colour) {
  const int s = blockIdx.y;
  const BundleOfFiber place = system.place[s];
  if (rests(system, place, s, sweep, colour)) return;
  const int w = blockIdx.x * threads + threadIdx.x;
  if (w >= system.m) return;
  const FrameBands& N = system.bands;
  const int R = N.reach, width = 2 * R + 1;
  double sum = N.y[N.bin(s, w)];
  for (int v = max(0, w - R); v <= min(system.m - 1, w + R); ++v) {
    if (s > place.begin)
      sum -= N.pair[N.bin(s - 1, v) * width + w - v + R] * system.f[N.bin(s - 1, v)];
    if (s + 1 < place.end)
      sum -= N.pair[N.bin(s, w) * width + v - w + R] * system.f[N.bin(s + 1, v)];
  }
  system.x[N.bin(s, w)] = sum;
}

// x <- N_ss^-1 x, a warp a fiber: the first lane goes from bin to bin, all fetch what it needs.
template <int R>
__global__ void __launch_bounds__(warp_size)
    solve_kernel(FrameSystem system, int sweep, int colour) {
  constexpr int chunk = 8 * (R + 1);
  __shared__ double L[chunk * (R + 1)];
  __shared__ double a[chunk + R + 1];
  const int s = blockIdx.x;
  const int lane = threadIdx.x;
  const BundleOfFiber place = system.place[s];
  if (rests(system, place, s, sweep, colour)) return;
  const int m = system.m;
  const double* factor = system.factor + system.bands.bin(s, 0) * (R + 1);
  double* x = system.x + system.bands.bin(s, 0);
  const auto fetch = [&](int base) {
    __syncwarp();
    for (int k = lane; k < chunk * (R + 1); k += warp_size)
      L[k] = base * (R + 1) + k < m * (R + 1) ? factor[base * (R + 1) + k] : 0.0;
    for (int k = lane; k < chunk + R + 1; k += warp_size) a[k] = base + k < m ? x[base + k] : 0.0;
    __syncwarp();
  };
  const auto put_back = [&](int base) {
    __syncwarp();
    for (int k = lane; k < chunk && base + k < m; k += warp_size) x[base + k] = a[k];
  };

  double window[R + 1];  // L x = a: what is left of element w, in the place of w modulo R + 1
#pragma unroll
  for (int d = 0; d <= R; ++d) window[d] = d < m ? x[d] : 0.0;
  for (int base = 0; base < m; base += chunk) {
    fetch(base);
    if (lane == 0)
      for (int part = 0; part < chunk; part += R + 1) {
#pragma unroll
        for (int r = 0; r <= R; ++r) {
          const int w = part + r;
          const double value = window[r];
          a[w] = value;
#pragma unroll
          for (int d = 1; d <= R; ++d) window[(r + d) % (R + 1)] -= L[w * (R + 1) + d] * value;
          window[r] = a[w + R + 1];
        }
      }
    put_back(base);
  }

  // L^T x = D^-1 a: x of the bins after w, in the place of their index modulo R + 1.
#pragma unroll
  for (int d = 0; d <= R; ++d) window[d] = 0;
  for (int base = (m - 1) / chunk * chunk; base >= 0; base -= chunk) {
    fetch(base);
    if (lane == 0)
      for (int part = chunk - (R + 1); part >= 0; part -= R + 1) {
#pragma unroll
        for (int r = R; r >= 0; --r) {
          const double* l = L + (part + r) * (R + 1);
          double sum = a[part + r] * l[0];
#pragma unroll
          for (int d = R; d > 0; --d) sum -= l[d] * window[(r + d) % (R + 1)];
          window[r] = a[part + r] = sum;
        }
      }
    put_back(base);
  }
}

// f <- x, and whether that moves it. A thread a bin.
__global__ void move_kernel(FrameSystem system, int sweep, int colour) {
  const int s = blockIdx.y;
  const BundleOfFiber place = system.place[s];
  if (rests(system, place, s, sweep, colour)) return;
  const int w = blockIdx.x * threads + threadIdx.x;
  if (w >= system.m) return;
  const size_t bin = system.bands.bin(s, w);
  const double step = system.x[bin] - system.f[bin];
  const double N = system.bands.band[bin * (system.bands.reach + 1)] + system.prior[bin];
  if (!(step * step * N <= frame_bounds::settled * frame_bounds::settled))
    system.moved[sweep * system.nbundles + place.bundle] = 1;
  system.f[bin] = system.x[bin];
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

template <int R>
void solve_with(const FrameSystem& system, cudaStream_t stream) {
  const int nspec = system.bands.nspec;
  const dim3 bins(blocks_for(system.m, threads), nspec);
  factor_kernel<R><<<blocks_for(nspec, factor_threads), factor_threads, 0, stream>>>(system);
  for (int sweep = 0; sweep < most_frame_sweeps; ++sweep)
    for (int colour = 0; colour < 2; ++colour) {
      right_side_kernel<<<bins, threads, 0, stream>>>(system, sweep, colour);
      solve_kernel<R><<<nspec, warp_size, 0, stream>>>(system, sweep, colour);
      move_kernel<<<bins, threads, 0, stream>>>(system, sweep, colour);
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

void solve_frame(const FrameSystem& system, cudaStream_t stream) {
  const std::size_t flags = count_of(most_frame_sweeps + 1, system.nbundles) * sizeof(int);
  SPEX_GPU_CHECK(cudaMemsetAsync(system.moved, 0, flags, stream));
  const std::size_t bytes = count_of(system.bands.nspec, system.bands.nwave) * sizeof(double);
  SPEX_GPU_CHECK(cudaMemsetAsync(system.f, 0, bytes, stream));
  if (system.nbundles == 0) return;
  far_kernel<<<system.bands.nspec, threads, 0, stream>>>(system);
  with_reach(system.bands.reach, [&]<int R>() { solve_with<R>(system, stream); });
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
