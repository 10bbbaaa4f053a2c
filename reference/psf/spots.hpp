// Spots of a range of fibers and wavelengths (extraction.md, section 2).
#pragma once

#include <cstddef>
#include <vector>

#include "reference/core/count.hpp"
#include "reference/core/simd/aligned.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// PSF spots, spectra-major: spot (s, w) is `value[((s * nwave + w) * ny + y) * nx + x]`, and its
/// lower-left CCD pixel is (xc[s * nwave + w], yc[s * nwave + w]). s counts from the first
/// requested fiber.
struct Spots {
  int nspec = 0;         ///< fibers
  int nwave = 0;         ///< wavelengths per fiber
  int nx = 0;            ///< columns of a spot
  int ny = 0;            ///< rows of a spot
  AlignedDoubles value;  ///< each spot sums to 1
  std::vector<int> xc;   ///< first column of each spot
  std::vector<int> yc;   ///< first row of each spot

  /// Index of spot (s, w) in `xc` and `yc`.
  [[nodiscard]] std::size_t index(int s, int w) const { return count_of(s, nwave) + w; }
  /// The pixels of spot (s, w), rows first.
  [[nodiscard]] const double* spot(int s, int w) const {
    return value.data() + index(s, w) * static_cast<std::size_t>(nx * ny);
  }
};

/// Spots of fibers [fiber, fiber + nspec) at wavelengths `wave` (Angstrom), computed by `threads`
/// threads. Wavelengths outside of the PSF's range are extrapolated by the polynomials. Throws
/// Error(data) if a width is not positive or a center is farther from the CCD than any valid PSF
/// allows.
[[nodiscard]] Spots evaluate_spots(const Psf& psf, int fiber, int nspec,
                                   const std::vector<double>& wave, int threads = 1);

/// Center of a fiber's spot at one wavelength: column X and row Y, pixels.
struct Centre {
  double x = 0;  ///< column
  double y = 0;  ///< row
};
/// The center of fiber `fiber` at `lambda` (Angstrom).
[[nodiscard]] Centre spot_centre(const Psf& psf, int fiber, double lambda);

/// Allocates spots of `nspec` fibers at `nwave` wavelengths; pixels are uninitialized.
[[nodiscard]] Spots make_spots(const Psf& psf, int nspec, int nwave);
/// spot_centre with a range check. Throws Error(data) as evaluate_spots does.
[[nodiscard]] Centre checked_centre(const Psf& psf, int fiber, double lambda);
/// Throws Error(data) if a width (pixels) is not positive.
void require_positive_widths(double sigma_x, double sigma_y, int fiber, double lambda);

}  // namespace spex
