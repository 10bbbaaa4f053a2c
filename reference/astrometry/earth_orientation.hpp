// How the Earth is turned: UT1 - UTC and polar motion, by a table of the IERS.
#pragma once

#include <string>
#include <vector>

#include "reference/model/fields.hpp"

namespace spex {

/// The Earth's orientation at one moment.
struct EarthOrientation {
  double ut1_utc = 0;  ///< UT1 - UTC, s
  double xp = 0;       ///< polar motion x, arcsec
  double yp = 0;       ///< polar motion y, arcsec
};

/// The Earth's orientation day by day, from a file of the IERS. Vectors of one length, a row a day,
/// days ascending.
struct EarthOrientationTable {
  std::string path;             ///< the file, for messages
  std::vector<double> mjd;      ///< UTC
  std::vector<double> ut1_utc;  ///< s; jumps by 1 s at a leap second
  std::vector<double> xp;       ///< arcsec
  std::vector<double> yp;       ///< arcsec

  /// At `when` (MJD, UTC), linear between two days of the table, as astropy has it. Throws
  /// Error(data) where the table has not both.
  [[nodiscard]] EarthOrientation at(double when) const;
};

/// All fields of an EarthOrientationTable.
template <MaybeConst<EarthOrientationTable> T>
auto fields(T& table) {
  auto& [path, mjd, ut1_utc, xp, yp] = table;
  return std::tie(path, mjd, ut1_utc, xp, yp);
}

/// Reads finals2000A.all (or .data, .daily) as the IERS publishes it: fixed columns, a line a day,
/// in which values of Bulletin B are used where they are given, else those of Bulletin A, predicted
/// ones included. Days at the end that have no prediction yet are left out. Throws Error(data)
/// `path:line: ...` where a line is anything else, days do not ascend, or there is no day.
[[nodiscard]] EarthOrientationTable read_earth_orientation(const std::string& path);

}  // namespace spex
