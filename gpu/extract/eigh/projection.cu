#include "gpu/core/launch.hpp"
#include "gpu/extract/batch/spot_device.cuh"
#include "gpu/extract/eigh/projection.hpp"

namespace spex::gpu {
namespace {

// One column of A and WA; one block per bin.
__global__ void dense_kernel(BatchView batch, double* A, double* WA) {
  const PatchGeometry& patch = batch.patches[blockIdx.y];
  const PixelsView pixels = batch.pixels;
  const int rows = batch.npixel;
  const int j = blockIdx.x;
  const size_t first = (static_cast<size_t>(blockIdx.y) * batch.n + j) * rows;
  const int nx = patch.nx();
  const int npixel = patch.npixel();
  const bool bin = j < patch.n();
  const ClippedSpot spot =
      bin ? clip_spot(patch, batch.spots, j / patch.nwave, j % patch.nwave) : ClippedSpot{};
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

void make_dense_projection(const BatchView& batch, double* A, double* WA, cudaStream_t stream) {
  const dim3 grid(batch.n, batch.count);
  dense_kernel<<<grid, 256, 0, stream>>>(batch, A, WA);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
