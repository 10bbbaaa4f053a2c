#include "gpu/core/warp.cuh"
#include "gpu/extract/projection.hpp"
#include "gpu/extract/spot_device.cuh"

namespace spex::gpu {
namespace {

constexpr int warps = 8;

__global__ void project_kernel(const PatchGeometry* patches, SpotsView spots, PixelsView pixels,
                               BinVectors bins) {
  const PatchGeometry& patch = patches[blockIdx.y];
  const int j = blockIdx.x * warps + threadIdx.x / warp_size;
  const int lane = threadIdx.x % warp_size;
  if (j >= patch.n()) return;
  const int s = j / patch.nwave, w = j % patch.nwave;
  const ClippedSpot spot = clip_spot(patch, spots, s, w);
  const int nx = spot.x1 - spot.x0;
  const int count = nx > 0 && spot.y1 > spot.y0 ? nx * (spot.y1 - spot.y0) : 0;
  BinSums sums;
  for (int k = lane; k < count; k += warp_size)
    sums.add(spot, pixels, spot.x0 + k % nx, spot.y0 + k / nx);
  sums = {warp_sum(sums.y), warp_sum(sums.q), warp_sum(sums.good)};
  if (lane != 0) return;
  sums.store(bins, bins.strides.patch(blockIdx.y) + bins.strides.bin(s, w));
}

// One column of A and WA; one block per bin.
__global__ void dense_kernel(const PatchGeometry* patches, int rows, int columns, SpotsView spots,
                             PixelsView pixels, double* A, double* WA) {
  const PatchGeometry& patch = patches[blockIdx.y];
  const int j = blockIdx.x;
  const size_t first = (static_cast<size_t>(blockIdx.y) * columns + j) * rows;
  const int nx = patch.nx();
  const int npixel = patch.npixel();
  const bool bin = j < patch.n();
  const ClippedSpot spot =
      bin ? clip_spot(patch, spots, j / patch.nwave, j % patch.nwave) : ClippedSpot{};
  for (int i = threadIdx.x; i < rows; i += blockDim.x) {
    double a = 0, W = 0;
    if (bin && i < npixel) {
      const int x = patch.x0 + i % nx, y = patch.y0 + i / nx;
      if (x >= spot.x0 && x < spot.x1 && y >= spot.y0 && y < spot.y1) {
        a = spot.at(x, y);
        W = pixels.W[static_cast<size_t>(y) * pixels.nx + x];
      }
    }
    A[first + i] = a;
    WA[first + i] = W * a;
  }
}

}  // namespace

void project_pixels(const PatchGeometry* patches, int count, int nmax, const SpotsView& spots,
                    const PixelsView& pixels, const BinVectors& bins, cudaStream_t stream) {
  const dim3 grid(blocks_for(nmax, warps), count);
  project_kernel<<<grid, warps * warp_size, 0, stream>>>(patches, spots, pixels, bins);
  SPEX_LAUNCH_CHECK();
}

void make_dense_projection(const PatchGeometry* patches, int count, int rows, int columns,
                           const SpotsView& spots, const PixelsView& pixels, double* A, double* WA,
                           cudaStream_t stream) {
  const dim3 grid(columns, count);
  dense_kernel<<<grid, 256, 0, stream>>>(patches, rows, columns, spots, pixels, A, WA);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
