// Patches for kernels (extraction.md, section 3); the counterpart of reference/layout/patches.hpp.
#pragma once

#include <vector>

#include "gpu/core/buffer.hpp"
#include "gpu/psf/spots.hpp"
#include "reference/layout/patches.hpp"

namespace spex::gpu {

/// The device status of a patch that a guard (section 5.1) rejects, for the band engine to solve.
/// Status 0 is solved, 1 is failed.
inline constexpr int guarded = 2;

/// One patch: plain data for host and device. Fibers and bins are indices into the patch's
/// SpotsView; pixels are CCD pixels.
struct PatchGeometry {
  int spec0 = 0;      ///< first padded fiber
  int wave0 = 0;      ///< first padded bin
  int nspec = 0;      ///< padded fibers
  int nwave = 0;      ///< padded bins
  int pad_below = 0;  ///< the first core fiber is spec0 + pad_below
  int ncore = 0;      ///< core fibers
  int wavepad = 0;
  int nkept = 0;                       ///< core bins within the grid
  int x0 = 0, x1 = 0, y0 = 0, y1 = 0;  ///< used pixels, clipped to the CCD; set by find_used_pixels

  [[nodiscard]] SPEX_HD int n() const { return nspec * nwave; }
  [[nodiscard]] SPEX_HD int nx() const { return x1 > x0 ? x1 - x0 : 0; }
  [[nodiscard]] SPEX_HD int ny() const { return y1 > y0 ? y1 - y0 : 0; }
  [[nodiscard]] SPEX_HD int npixel() const { return nx() * ny(); }
};

/// The geometry of a patch, with fibers relative to `fiber` and bins relative to `first_bin`.
[[nodiscard]] PatchGeometry make_geometry(const Patch& patch, int fiber, int first_bin);

/// Patches whose used pixels are found, in device memory.
struct PatchesOnCcd {
  PatchGeometry* patches = nullptr;  ///< [count]; x0 ... y1 are set
  int count = 0;
  SpotsView spots;
  double pixpad_frac = 0;
  int nx_ccd = 0, ny_ccd = 0;
  /// Raised to the largest distance, in bins, of two wavelengths whose spots overlap in a patch.
  int* reach = nullptr;
};

/// Sets the used pixels of patches like the reference's used_pixels, from bins with light. One
/// block per patch.
void find_used_pixels(const PatchesOnCcd& of, cudaStream_t stream);

}  // namespace spex::gpu
