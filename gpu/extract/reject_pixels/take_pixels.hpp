// Weights of rejected pixels, and what depends on them, in device memory (extraction.md, section
// 5.3); the counterpart of BundlePixels in reference/extract/reject_pixels.hpp.
#pragma once

#include <cstdint>

#include "gpu/extract/batch/quality.hpp"
#include "gpu/extract/frame_flux/frame_flux.hpp"
#include "gpu/extract/reject_pixels/find_pixels.hpp"

namespace spex::gpu {

/// A pixel and the weight that it shall have.
struct PixelWeight {
  std::uint32_t place = 0;   ///< y nx + x of the CCD
  std::uint32_t bundle = 0;  ///< index among the tested bundles
  double weight = 0;         ///< electron^-2
};

/// Sets W of `count` pixels.
void set_weights(const PixelWeight* pixels, int count, double* W, cudaStream_t stream);

/// Marks `count` pixels as of their bundles, `marks` as in TestedBundles.
void mark_pixels(const PixelWeight* pixels, int count, std::uint16_t* marks, cudaStream_t stream);

/// Sets `wanted` of the tiles of bins (tile_of) whose spots hold one of `count` pixels, `[fiber of
/// the spots][frame_tiles]`, for the fibers of the pixel's bundle.
void mark_tiles(const BatchView& batch, const PixelWeight* pixels, int count,
                const BundleOfFiber* bundles, unsigned char* wanted, cudaStream_t stream);

/// Sets `touching[a * count + b]`, which must be 0, for b < a where spots of two bundles reach the
/// same pixel. `bundles` are ranges of the fibers of `rows`.
void find_touching(const BundleOfFiber* bundles, int count, const RowBinsView& rows,
                   unsigned char* touching, cudaStream_t stream);

}  // namespace spex::gpu
