// Whether a bin has light (extraction.md, section 2.1). One source for host and device.
#pragma once

#include <algorithm>
#include <cmath>

#include "reference/core/host_device.hpp"
#include "reference/psf/light_range.hpp"
#include "reference/psf/spot.hpp"

namespace spex {

/// Column and row of a bin without light in place of its spot's lower-left pixel: nearer to no CCD
/// than any spot is.
inline constexpr int dark_corner = -(1 << 20);

/// A center as far from the CCD, pixels, means nothing, and would overflow an int.
inline constexpr double farthest_center = 1e6;

/// Center of a fiber's spot at one wavelength: column X and row Y, pixels.
struct Center {
  double x = 0;  ///< column
  double y = 0;  ///< row
};

/// Place and widths of a spot, pixels.
struct SpotShape {
  Center center;           ///< its center
  double sigma_x = 0;      ///< GHSIGX; NaN for spots of images
  double sigma_y = 0;      ///< GHSIGY; likewise
  bool of_second = false;  ///< the widths are GHSIGX2 and GHSIGY2, one of which is not positive
};

/// Whether a bin has a spot.
enum class SpotState {
  lit,     ///< it has light
  dark,    ///< it has none: its wavelength is beyond those of the PSF
  broken,  ///< the PSF is broken: its polynomials mean nothing at one of its own wavelengths
};

/// Sizes of a PSF and the wavelengths, Angstrom, at which all its polynomials are defined.
struct SpotLimits {
  double first = 0;    ///< largest WAVEMIN of XTRACE, YTRACE and PSF
  double last = 0;     ///< smallest WAVEMAX of them
  int hsizex = 0;      ///< half width of a spot
  int hsizey = 0;      ///< half height of a spot
  int npix_x = 0;      ///< columns of the CCD
  int npix_y = 0;      ///< rows of the CCD
  bool widths = true;  ///< whether spots have widths
};
/// The limits of a PSF.
[[nodiscard]] inline SpotLimits spot_limits(const Psf& psf) {
  return {std::max({psf.wavemin, psf.xtrace.wavemin, psf.ytrace.wavemin}),
          std::min({psf.wavemax, psf.xtrace.wavemax, psf.ytrace.wavemax}),
          psf.hsizex,
          psf.hsizey,
          psf.npix_x,
          psf.npix_y,
          psf.has_widths()};
}

/// Whether a spot with this first pixel has a pixel on a CCD of `npix` pixels, along one axis.
[[nodiscard]] SPEX_HD inline bool reaches_ccd(int corner, int hsize, int npix) {
  return corner < npix && corner + 2 * hsize + 1 > 0;
}

/// The state of a bin at `lambda` (Angstrom) with a spot of this shape.
[[nodiscard]] SPEX_HD inline SpotState spot_state(const SpotLimits& psf, const LightRange& light,
                                                  double lambda, const SpotShape& spot) {
  if (!light.holds(lambda)) return SpotState::dark;
  const double x = spot.center.x, y = spot.center.y;
  const bool defined = lambda >= psf.first && lambda <= psf.last;
  if (!(fabs(x) < farthest_center && fabs(y) < farthest_center))
    return defined ? SpotState::broken : SpotState::dark;
  if (!psf.widths || (spot.sigma_x > 0 && spot.sigma_y > 0)) return SpotState::lit;
  // A spot off the CCD needs no width.
  const bool needed = reaches_ccd(spot_corner(x, psf.hsizex), psf.hsizex, psf.npix_x) &&
                      reaches_ccd(spot_corner(y, psf.hsizey), psf.hsizey, psf.npix_y);
  return defined && needed ? SpotState::broken : SpotState::dark;
}

}  // namespace spex
