#include "gpu/core/launch.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/extract/frame_flux/frame_flux.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int far_threads = 256;
constexpr int far_bins = warp_size;  // bins per block

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

// Checks the bins of fibers two or more above that may lie on the same rows as bin v, i.e. within
// twice a band's reach. One block per far_bins of a fiber, one warp per bin that shares light
// without its prior.
__global__ void __launch_bounds__(far_threads)
    far_kernel(SpotsView spots, PixelsView pixels, FrameSystem system) {
  const int s = blockIdx.y, lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const BundleOfFiber place = system.place[s];
  const FrameBands& N = system.bands;
  const auto diagonal = [&](int fiber, int v) {
    return N.band[N.bin(fiber, v) * (N.reach + 1)] + system.prior[N.bin(fiber, v)];
  };
  const int first = blockIdx.x * far_bins;
  const bool mine = first + lane < system.m && N.far[N.bin(s, first + lane)] != 0;
  unsigned shares = __ballot_sync(0xffffffffU, mine && place.begin != place.end);
  const int width = 4 * N.reach + 1;
  for (int turn = 0; shares != 0; shares &= shares - 1, ++turn) {
    if (turn % (far_threads / warp_size) != warp) continue;
    const int v = first + __ffs(static_cast<int>(shares)) - 1;
    const PlacedSpot spot = spot_at(spots, s, v);
    for (int k = lane; k < (place.end - s - 2) * width; k += warp_size) {
      const int u = s + 2 + k / width, w = v - 2 * N.reach + k % width;
      if (w < 0 || w >= system.m) continue;
      const double shared = overlap(spots, pixels, spot, spot_at(spots, u, w));
      if (!(shared <= fiber_bounds::far * sqrt(diagonal(s, v) * diagonal(u, w))))
        system.refused[place.bundle] = 1;
    }
  }
}

}  // namespace

void refuse_far_light(const SpotsView& spots, const PixelsView& pixels, const FrameSystem& system,
                      cudaStream_t stream) {
  const dim3 bins(blocks_for(system.m, far_bins), system.bands.nspec);
  far_kernel<<<bins, far_threads, 0, stream>>>(spots, pixels, system);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
