// Earth orientation: UT1 - UTC and polar motion, from a table of the IERS.
#pragma once

#include <string>
#include <vector>

#include "reference/model/members.hpp"

namespace spex {

/// The Earth's orientation at one moment.
struct EarthOrientation {
  double ut1_utc = 0;  ///< UT1 - UTC, s
  double xp = 0;       ///< polar motion x, arcsec
  double yp = 0;       ///< polar motion y, arcsec
};

/// Daily Earth orientation from an IERS file. Vectors of equal length, one row per day, days
/// ascending.
struct EarthOrientationTable {
  std::string path;             ///< the file's name, for messages
  std::vector<double> mjd;      ///< UTC
  std::vector<double> ut1_utc;  ///< s; jumps by 1 s at a leap second
  std::vector<double> xp;       ///< arcsec
  std::vector<double> yp;       ///< arcsec

  /// The orientation at `when` (MJD, UTC), interpolated linearly between two days as in astropy.
  /// Throws Error(data) if the table does not cover `when`.
  [[nodiscard]] EarthOrientation at(double when) const;

  SPEX_MEMBERS(path, mjd, ut1_utc, xp, yp)
};

/// Reads the IERS file finals2000A.all (or .data, .daily): fixed columns, one line per day. Uses
/// values of Bulletin B if given, else values of Bulletin A, including predictions. Skips days
/// without prediction at the end. Throws Error(data) `path:line: ...` if a line is malformed, days
/// do not ascend, or there is no day.
[[nodiscard]] EarthOrientationTable read_earth_orientation(const std::string& path);

}  // namespace spex
