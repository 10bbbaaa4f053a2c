#include "gpu/core/launch.hpp"
#include "gpu/extract/reject_pixels/take_pixels.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 128;

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

// The columns that spots of fibers [begin, end) reach in a row.
struct Reach {
  int x0 = INT_MAX, x1 = INT_MIN;

  __device__ Reach(const RowBinsView& rows, const BundleOfFiber& bundle, int y) {
    for (int s = bundle.begin; s < bundle.end; ++s) {
      const RowBins bins = rows.rows[static_cast<size_t>(s) * rows.ny_ccd + y];
      if (bins.first >= bins.last) continue;
      x0 = min(x0, bins.x0), x1 = max(x1, bins.x1);
    }
  }
};

// One block per pair of bundles.
__global__ void touching_kernel(const BundleOfFiber* bundles, RowBinsView rows,
                                unsigned char* touching) {
  const int a = blockIdx.y, b = blockIdx.x;
  if (b >= a) return;
  for (int y = threadIdx.x; y < rows.ny_ccd; y += threads) {
    const Reach of_a(rows, bundles[a], y), of_b(rows, bundles[b], y);
    if (max(of_a.x0, of_b.x0) < min(of_a.x1, of_b.x1)) touching[a * gridDim.x + b] = 1;
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
  touching_kernel<<<dim3(count, count), threads, 0, stream>>>(bundles, rows, touching);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
