#include "gpu/core/launch.hpp"
#include "gpu/extract/reject_pixels/take_pixels.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 128;
constexpr int rows_at_once = 4;  // of touching_kernel

__global__ void weights_kernel(const PixelWeight* pixels, int count, double* W) {
  const int k = blockIdx.x * threads + threadIdx.x;
  if (k < count) W[pixels[k].place] = pixels[k].weight;
}

__global__ void marks_kernel(const PixelWeight* pixels, int count, std::uint16_t* marks) {
  const int k = blockIdx.x * threads + threadIdx.x;
  if (k < count) marks[pixels[k].place] = static_cast<std::uint16_t>(pixels[k].bundle + 1);
}

// One block per pixel, one thread per fiber.
__global__ void tiles_kernel(BatchView batch, const PixelWeight* pixels,
                             const BundleOfFiber* bundles, unsigned char* wanted) {
  const SpotsView spots = batch.spots;
  const RowBinsView rows = batch.rows;
  const int first_bin = batch.spectra.first_bin;
  const PixelWeight pixel = pixels[blockIdx.x];
  const int x = static_cast<int>(pixel.place % static_cast<unsigned>(batch.pixels.nx));
  const int y = static_cast<int>(pixel.place / static_cast<unsigned>(batch.pixels.nx));
  const BundleOfFiber bundle = bundles[pixel.bundle];
  for (int s = bundle.begin + threadIdx.x; s < bundle.end; s += threads) {
    const RowBins bins = rows.rows[static_cast<size_t>(spots.first_spec + s) * rows.ny_ccd + y];
    if (bins.first >= bins.last || x < bins.x0 || x >= bins.x1) continue;
    unsigned char* tiles = wanted + static_cast<size_t>(s) * frame_tiles(spots.nwave);
    for (int tile = tile_of(first_bin, bins.first); tile <= tile_of(first_bin, bins.last - 1);
         ++tile)
      tiles[tile] = 1;
  }
}

// The columns that spots of a bundle reach in a row.
struct Reach {
  int x0, x1;
};
__device__ Reach reach_of(const RowBinsView& rows, const BundleOfFiber& bundle, int y) {
  Reach reach{INT_MAX, INT_MIN};
  for (int s = bundle.begin; s < bundle.end; ++s) {
    const RowBins bins = rows.rows[static_cast<size_t>(s) * rows.ny_ccd + y];
    if (bins.first >= bins.last) continue;
    reach = {min(reach.x0, bins.x0), max(reach.x1, bins.x1)};
  }
  return reach;
}

// One block per rows_at_once rows. Shared memory: the reach of each bundle in each of them.
__global__ void __launch_bounds__(threads)
    touching_kernel(const BundleOfFiber* bundles, int count, RowBinsView rows,
                    unsigned char* touching) {
  extern __shared__ Reach reach[];  // [row][bundle]
  const int y0 = static_cast<int>(blockIdx.x) * rows_at_once;
  const int nrows = min(rows.ny_ccd - y0, rows_at_once);
  for (int k = threadIdx.x; k < nrows * count; k += threads)
    reach[k] = reach_of(rows, bundles[k % count], y0 + k / count);
  __syncthreads();
  for (int k = threadIdx.x; k < count * count; k += threads) {
    const int a = k / count, b = k % count;
    if (b >= a) continue;
    bool touch = false;
    for (const Reach* row = reach; row < reach + nrows * count; row += count)
      touch = touch || max(row[a].x0, row[b].x0) < min(row[a].x1, row[b].x1);
    if (touch) touching[k] = 1;
  }
}

}  // namespace

void set_weights(const PixelWeight* pixels, int count, double* W, cudaStream_t stream) {
  if (count == 0) return;
  weights_kernel<<<blocks_for(count, threads), threads, 0, stream>>>(pixels, count, W);
  SPEX_LAUNCH_CHECK();
}

void mark_pixels(const PixelWeight* pixels, int count, std::uint16_t* marks, cudaStream_t stream) {
  if (count == 0) return;
  marks_kernel<<<blocks_for(count, threads), threads, 0, stream>>>(pixels, count, marks);
  SPEX_LAUNCH_CHECK();
}

void mark_tiles(const BatchView& batch, const PixelWeight* pixels, int count,
                const BundleOfFiber* bundles, unsigned char* wanted, cudaStream_t stream) {
  if (count == 0) return;
  tiles_kernel<<<count, threads, 0, stream>>>(batch, pixels, bundles, wanted);
  SPEX_LAUNCH_CHECK();
}

void find_touching(const BundleOfFiber* bundles, int count, const RowBinsView& rows,
                   unsigned char* touching, cudaStream_t stream) {
  const std::size_t bytes = count_of(rows_at_once, count) * sizeof(Reach);
  allow_shared_memory(reinterpret_cast<const void*>(touching_kernel));
  touching_kernel<<<blocks_for(rows.ny_ccd, rows_at_once), threads, bytes, stream>>>(
      bundles, count, rows, touching);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
