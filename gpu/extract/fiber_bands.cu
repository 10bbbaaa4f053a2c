#include "gpu/core/launch.hpp"
#include "gpu/extract/fiber_bands.hpp"
#include "gpu/extract/limits.hpp"
#include "gpu/extract/spot_device.cuh"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 256;
constexpr int lanes = 4;  // that share a pair of spots, side by side along x

// Sum over the pixels of both spots of (W spot_j) spot_k, the same for all lanes of the pair;
// spot_j, already weighted, covers its whole rectangle in shared memory.
__device__ double overlap(const double* weighted, const ClippedSpot& j, const ClippedSpot& k,
                          int lane) {
  const int x0 = max(j.x0, k.x0), x1 = min(j.x1, k.x1);
  const int y0 = max(j.y0, k.y0), y1 = min(j.y1, k.y1);
  double sum = 0;
  for (int x = x0 + lane; x < x1; x += lanes) {
    const double* a = weighted + (y0 - j.yc) * j.stride + x - j.xc;
    const double* b = k.value + (y0 - k.yc) * k.stride + x - k.xc;
#pragma unroll 4
    for (int y = y0; y < y1; ++y, a += j.stride, b += k.stride) sum += *a * *b;
  }
  for (int offset = lanes / 2; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffU, sum, offset);
  return sum;
}

// A block computes what the bins of all spectra at one wavelength v have in common with others.
__global__ void assemble_kernel(const PatchGeometry* patches, FiberLayout layout, SpotsView spots,
                                PixelsView pixels, const double* prior, FiberBands bands) {
  extern __shared__ double weighted[];  // [nspec][ny nx]: W_i A_ij of the bins at v
  const PatchGeometry patch = patches[blockIdx.y];
  const int v = blockIdx.x;
  const int spot_size = spots.nx * spots.ny;
  for (int k = threadIdx.x; k < patch.nspec * spot_size; k += threads) {
    const ClippedSpot spot = clip_spot(patch, spots, k / spot_size, v);
    const int x = spot.xc + k % spot_size % spots.nx, y = spot.yc + k % spot_size / spots.nx;
    const bool inside = x >= spot.x0 && x < spot.x1 && y >= spot.y0 && y < spot.y1;
    weighted[k] = inside ? spot.at(x, y) * pixels.W[static_cast<size_t>(y) * pixels.nx + x] : 0.0;
  }
  __syncthreads();

  const size_t first = static_cast<size_t>(blockIdx.y) * layout.nslots;
  const int lane = threadIdx.x % lanes;
  const int own = patch.nspec * (layout.reach + 1);
  const int pairs = own + (patch.nspec - 1) * (2 * layout.reach + 1);
  // All lanes of a warp go round together, as overlap shuffles.
  for (int base = 0; base < pairs; base += threads / lanes) {
    const int k = base + threadIdx.x / lanes;
    const bool is_own = k < own;
    const int width = is_own ? layout.reach + 1 : 2 * layout.reach + 1;
    const int s = (is_own ? k : k - own) / width;
    const int d = (is_own ? k : k - own) % width;
    const int w = is_own ? v + d : v - layout.reach + d;
    const bool bins = k < pairs && w >= 0 && w < patch.nwave;
    ClippedSpot of_s{}, of_t{};
    if (bins) {
      of_s = clip_spot(patch, spots, s, v);
      of_t = clip_spot(patch, spots, is_own ? s : s + 1, w);
    }
    double value = overlap(weighted + (bins ? s : 0) * spot_size, of_s, of_t, lane);
    if (lane != 0 || k >= pairs) continue;
    if (is_own) {
      if (d == 0) value += prior[(first + s) * layout.nwave + v];
      bands.band[(first + s) * layout.band_size() + v * width + d] = value;
    } else {
      bands.pair[(first + s) * layout.pair_size() + v * width + d] = value;
    }
  }
}

// A thread a bin of s and a bin of a spectrum two or more apart.
__global__ void far_kernel(const PatchGeometry* patches, FiberLayout layout, SpotsView spots,
                           PixelsView pixels, FiberBands bands, int* status) {
  const PatchGeometry patch = patches[blockIdx.y];
  const int width = 2 * layout.reach + 1;
  const int k = blockIdx.x * threads + threadIdx.x;
  const int s = k / (patch.nwave * width);
  const int v = k / width % patch.nwave;
  const int w = v - layout.reach + k % width;
  if (s + 2 >= patch.nspec || w < 0 || w >= patch.nwave) return;
  const size_t first = static_cast<size_t>(blockIdx.y) * layout.nslots;
  const auto diagonal = [&](int spectrum, int bin) {
    return bands.band[(first + spectrum) * layout.band_size() + bin * (layout.reach + 1)];
  };
  const ClippedSpot a = clip_spot(patch, spots, s, v);
  for (int t = s + 2; t < patch.nspec; ++t) {
    const ClippedSpot b = clip_spot(patch, spots, t, w);
    double sum = 0;
    for (int y = max(a.y0, b.y0); y < min(a.y1, b.y1); ++y)
      for (int x = max(a.x0, b.x0); x < min(a.x1, b.x1); ++x)
        sum += a.at(x, y) * pixels.W[static_cast<size_t>(y) * pixels.nx + x] * b.at(x, y);
    if (!(sum <= fiber_bounds::far * sqrt(diagonal(s, v) * diagonal(t, w))))
      status[blockIdx.y] = guarded;
  }
}

}  // namespace

void assemble_fibers(const PatchGeometry* patches, int count, const FiberLayout& layout,
                     const SpotsView& spots, const PixelsView& pixels, const double* prior,
                     const FiberBands& bands, int* status, cudaStream_t stream) {
  const std::size_t bytes = assemble_bytes(layout.nslots, spots.nx, spots.ny);
  allow_shared_memory(reinterpret_cast<const void*>(assemble_kernel));
  assemble_kernel<<<dim3(layout.nwave, count), threads, bytes, stream>>>(patches, layout, spots,
                                                                         pixels, prior, bands);
  SPEX_LAUNCH_CHECK();
  const int pairs = layout.nslots * layout.nwave * (2 * layout.reach + 1);
  far_kernel<<<dim3(blocks_for(pairs, threads), count), threads, 0, stream>>>(
      patches, layout, spots, pixels, bands, status);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
