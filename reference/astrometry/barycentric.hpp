// The barycentric correction of wavelengths (extraction.md, section 3.1).
#pragma once

#include "reference/astrometry/earth_orientation.hpp"

namespace spex {

/// Where a telescope stood.
struct Site {
  double latitude = 0;   ///< geodetic (WGS84), degrees
  double longitude = 0;  ///< degrees, east positive
  double height = 0;     ///< m
};

/// The Mayall telescope on Kitt Peak, as DESI's pipeline has it.
inline constexpr Site kitt_peak{31.96403, -111.59989, 2097};

/// Where a telescope looked, and when.
struct Pointing {
  double ra = 0;   ///< ICRS, degrees
  double dec = 0;  ///< ICRS, degrees
  double mjd = 0;  ///< UTC
};

/// First and last day of the dates that barycentric_factor is made for: from the first leap second
/// to where the Earth's ephemeris ends. MJD.
inline constexpr double first_mjd = 41317;
inline constexpr double last_mjd = 88069;  ///< as first_mjd

/// F: wavelength at the Solar System's barycentre / wavelength at the telescope, of a source at
/// rest there (Wright & Eastman 2014, equation 28, without parallax and Shapiro delay):
///
///     F = gamma (1 + beta . n) / (1 + g / c)
///
/// with beta the telescope's velocity / c, and g / c the gravitational redshift by Earth, Moon,
/// Jupiter and Sun. Positions of Earth, Moon and Jupiter are ERFA's own: no file is needed.
/// `orientation` is the Earth's at that time; the default one costs up to 9e-11 of F.
/// `pointing.mjd` lies between first_mjd and last_mjd; std::logic_error otherwise.
[[nodiscard]] double barycentric_factor(const Pointing& pointing,
                                        const EarthOrientation& orientation = {},
                                        const Site& site = kitt_peak);

}  // namespace spex
