// Spots of a range of fibers and wavelengths (extraction.md, section 2).
#pragma once

#include <cstddef>
#include <vector>

#include "reference/core/aligned.hpp"
#include "reference/core/count.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// PSF spots, spectra-major: spot (s, w) is `value[((s * nwave + w) * ny + y) * nx + x]`, its
/// lower-left pixel on the CCD (xc[s * nwave + w], yc[s * nwave + w]). s counts from the first
/// fiber asked for.
struct Spots {
  int nspec = 0;         ///< fibers
  int nwave = 0;         ///< wavelengths of a fiber
  int nx = 0;            ///< columns of a spot
  int ny = 0;            ///< rows of a spot
  AlignedDoubles value;  ///< sums to 1 a spot
  std::vector<int> xc;   ///< column
  std::vector<int> yc;   ///< row

  /// Index of spot (s, w) in `xc` and `yc`.
  [[nodiscard]] std::size_t index(int s, int w) const { return count_of(s, nwave) + w; }
  /// The pixels of spot (s, w), rows first.
  [[nodiscard]] const double* spot(int s, int w) const {
    return value.data() + index(s, w) * static_cast<std::size_t>(nx * ny);
  }
};

/// Spots of fibers [fiber, fiber + nspec) at the wavelengths `wave` (Angstrom), on `threads`
/// threads. Wavelengths outside the PSF's range are extrapolated, as the polynomials say.
/// Throws Error(data) where a width is not positive or a centre is not on any conceivable CCD.
[[nodiscard]] Spots evaluate_spots(const Psf& psf, int fiber, int nspec,
                                   const std::vector<double>& wave, int threads = 1);

/// Centre of a fiber's spot at one wavelength: column X and row Y, pixels.
struct Centre {
  double x = 0;  ///< column
  double y = 0;  ///< row
};
/// The centre of fiber `fiber` at `lambda` (Angstrom).
[[nodiscard]] Centre spot_centre(const Psf& psf, int fiber, double lambda);

/// Room for the spots of `nspec` fibers at `nwave` wavelengths; their pixels hold anything.
[[nodiscard]] Spots make_spots(const Psf& psf, int nspec, int nwave);
/// spot_centre. Throws Error(data) where the centre is not on any conceivable CCD.
[[nodiscard]] Centre checked_centre(const Psf& psf, int fiber, double lambda);
/// Throws Error(data) where a width (pixels) is not positive.
void require_positive_widths(double sigma_x, double sigma_y, int fiber, double lambda);

}  // namespace spex
