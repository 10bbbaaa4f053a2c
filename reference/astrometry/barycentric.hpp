// The barycentric correction of wavelengths (extraction.md, section 3.1).
#pragma once

#include "reference/astrometry/earth_orientation.hpp"

namespace spex {

/// The site of a telescope.
struct Site {
  double latitude = 0;   ///< geodetic (WGS84), degrees
  double longitude = 0;  ///< degrees, east positive
  double height = 0;     ///< m
};

/// The Mayall telescope on Kitt Peak, with the coordinates of DESI's pipeline.
inline constexpr Site kitt_peak{31.96403, -111.59989, 2097};

/// The direction and time of an observation.
struct Pointing {
  double ra = 0;   ///< ICRS, degrees
  double dec = 0;  ///< ICRS, degrees
  double mjd = 0;  ///< UTC
};

/// The valid date range of barycentric_factor, MJD: from the first leap second to the end of the
/// Earth ephemeris.
inline constexpr double first_mjd = 41317;
inline constexpr double last_mjd = 88069;  ///< see first_mjd

/// The factor F: barycentric wavelength / wavelength at the telescope, for a source at rest at the
/// Solar System's barycenter (Wright & Eastman 2014, equation 28, without parallax and Shapiro
/// delay):
///
///    F = gamma (1 + beta . n) / (1 + g / c)
///
/// with beta the telescope's velocity / c, and g / c the gravitational redshift by Earth, Moon,
/// Jupiter and Sun. ERFA computes the positions of Earth, Moon and Jupiter without a file.
/// `orientation` is the Earth's orientation at that time; its default causes an error of up to
/// 9e-11 in F. Throws std::logic_error unless `pointing.mjd` is between first_mjd and last_mjd.
[[nodiscard]] double barycentric_factor(const Pointing& pointing,
                                        const EarthOrientation& orientation = {},
                                        const Site& site = kitt_peak);

}  // namespace spex
