// Patches as kernels see them (extraction.md, section 3); the counterpart of
// reference/layout/patches.hpp.
#pragma once

#include <vector>

#include "gpu/core/buffer.hpp"
#include "gpu/psf/spots.hpp"
#include "reference/layout/patches.hpp"

namespace spex::gpu {

/// What a patch's status in device memory becomes where a guard refuses it (section 5.1) and the
/// band engine is to solve it; 0 is solved, 1 failed.
inline constexpr int guarded = 2;

/// One patch: plain data, the same on host and device. Fibers and bins count within the spots that
/// the patch is given (SpotsView), pixels on the CCD.
struct PatchGeometry {
  int spec0 = 0;      ///< first padded fiber
  int wave0 = 0;      ///< first padded bin
  int nspec = 0;      ///< padded fibers
  int nwave = 0;      ///< padded bins
  int pad_below = 0;  ///< the first core fiber is spec0 + pad_below
  int ncore = 0;      ///< core fibers
  int wavepad = 0;
  int nkept = 0;                       ///< core bins within the grid
  int x0 = 0, x1 = 0, y0 = 0, y1 = 0;  ///< used pixels, cut to the CCD; set by find_used_pixels

  [[nodiscard]] SPEX_HD int n() const { return nspec * nwave; }
  [[nodiscard]] SPEX_HD int nx() const { return x1 > x0 ? x1 - x0 : 0; }
  [[nodiscard]] SPEX_HD int ny() const { return y1 > y0 ? y1 - y0 : 0; }
  [[nodiscard]] SPEX_HD int npixel() const { return nx() * ny(); }
};

/// The patch, its fibers counted from `fiber` and its bins from `first_bin`.
[[nodiscard]] PatchGeometry make_geometry(const Patch& patch, int fiber, int first_bin);

/// Sets x0 ... y1 of `count` patches, as used_pixels of the reference does. `*reach` becomes the
/// largest distance, in bins, of two wavelengths whose spots overlap in some patch, where that is
/// larger than `*reach`. A block a patch.
void find_used_pixels(PatchGeometry* patches, int count, const SpotsView& spots, double pixpad_frac,
                      int nx_ccd, int ny_ccd, int* reach, cudaStream_t stream);

}  // namespace spex::gpu
