#include "gpu/core/launch.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/extract/batch/spot_device.cuh"
#include "gpu/extract/normal_equations/pixel_sums.hpp"

namespace spex::gpu {
namespace {

constexpr int warps = 8;

__global__ void project_kernel(const PatchGeometry* patches, SpotsView spots, PixelsView pixels,
                               BinVectors bins) {
  const PatchGeometry& patch = patches[blockIdx.y];
  const int j = blockIdx.x * warps + threadIdx.x / warp_size;
  if (j >= patch.n()) return;
  const int s = j / patch.nwave, w = j % patch.nwave;
  const ClippedSpot spot = clip_spot(patch, spots, s, w);
  const BinSums sums = sum_pixels(spot, pixels);
  if (threadIdx.x % warp_size != 0) return;
  sums.store(bins, bins.strides.patch(blockIdx.y) + bins.strides.bin(s, w));
}

}  // namespace

void project_pixels(const BatchView& batch, const BinVectors& bins, cudaStream_t stream) {
  const dim3 grid(blocks_for(batch.n, warps), batch.count);
  project_kernel<<<grid, warps * warp_size, 0, stream>>>(batch.patches, batch.spots, batch.pixels,
                                                         bins);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
