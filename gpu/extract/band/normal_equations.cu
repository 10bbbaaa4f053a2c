#include "gpu/core/launch.hpp"
#include "gpu/extract/band/normal_equations.hpp"
#include "gpu/extract/batch/limits.hpp"
#include "gpu/extract/batch/spot_device.cuh"

namespace spex::gpu {
namespace {

constexpr int threads = 256;
constexpr int lanes = 8;  // lanes per pair of spots, side by side along x

// Sum over the pixels of both spots of (W spot_j) spot_k, returned to all lanes of the pair.
// `weighted` is W spot_j over its whole rectangle in shared memory.
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

// Each block computes the columns of all fibers at one wavelength v: rows at w >= v.
__global__ void assemble_kernel(const PatchGeometry* patches, BandLayout layout, SpotsView spots,
                                PixelsView pixels, const double* prior, double* panels) {
  extern __shared__ double weighted[];  // [nspec][ny nx]: W_i A_ij of the bins at v
  const PatchGeometry patch = patches[blockIdx.y];
  const int v = blockIdx.x;
  const int spot_size = spots.nx * spots.ny;
  for (int k = threadIdx.x; k < patch.nspec * spot_size && v < patch.nwave; k += threads) {
    const ClippedSpot spot = clip_spot(patch, spots, k / spot_size, v);
    const int x = spot.xc + k % spot_size % spots.nx, y = spot.yc + k % spot_size / spots.nx;
    const bool inside = x >= spot.x0 && x < spot.x1 && y >= spot.y0 && y < spot.y1;
    weighted[k] = inside ? spot.at(x, y) * pixels.W[static_cast<size_t>(y) * pixels.nx + x] : 0.0;
  }
  __syncthreads();

  const int size = layout.size();
  const int block = v / layout.reach;
  double* panel =
      panels + static_cast<size_t>(blockIdx.y) * layout.patch_size() + block * layout.panel_size();
  const int nslots = layout.nslots;
  const int pairs = nslots * nslots * (layout.reach + 1);
  const int lane = threadIdx.x % lanes;
  // All lanes of a warp must take part, because overlap shuffles.
  for (int first = 0; first < pairs; first += threads / lanes) {
    const int k = first + threadIdx.x / lanes;
    const int t = k % nslots;                           // fiber of the row
    const int w = v + k / nslots % (layout.reach + 1);  // its wavelength
    const int s = k / (nslots * (layout.reach + 1));    // fiber of the column
    const int row = w * nslots + t - block * size;
    const int column = v * nslots + s - block * size;
    const bool wanted = k < pairs && row >= column;
    const bool bins =
        wanted && s < patch.nspec && t < patch.nspec && v < patch.nwave && w < patch.nwave;
    ClippedSpot of_s{}, of_t{};
    if (bins) {
      of_s = clip_spot(patch, spots, s, v);
      of_t = clip_spot(patch, spots, t, w);
    }
    double value = overlap(weighted + (bins ? s : 0) * spot_size, of_s, of_t, lane);
    if (lane != 0 || !wanted) continue;
    if (row == column) {
      value = bins ? value + prior[static_cast<size_t>(blockIdx.y) * layout.rows() + v * nslots + s]
                   : 1;  // a padding row
    }
    panel[static_cast<size_t>(column) * 2 * size + row] = value;
  }
}

}  // namespace

void assemble_band(const BatchView& batch, const BandLayout& layout, const double* prior,
                   double* panels, cudaStream_t stream) {
  const SpotsView& spots = batch.spots;
  SPEX_GPU_CHECK(
      cudaMemsetAsync(panels, 0, batch.count * layout.patch_size() * sizeof(double), stream));
  const std::size_t bytes = assemble_bytes(layout.nslots, spots.nx, spots.ny);
  allow_shared_memory(reinterpret_cast<const void*>(assemble_kernel));
  const dim3 grid(layout.nblocks() * layout.reach, batch.count);
  assemble_kernel<<<grid, threads, bytes, stream>>>(batch.patches, layout, spots, batch.pixels,
                                                    prior, panels);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
