// One check of a comparison: the compared quantity, its limit, and the first failure.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace spex {

/// The location of a failure, as far as known.
struct Place {
  std::string hdu;                   ///< name of the HDU
  std::optional<long long> fiber;    ///< counted from 0 in the PSF
  std::optional<long long> bin;      ///< w, counted from 0
  std::optional<double> wavelength;  ///< Angstrom
};

/// "fiber 3, 3655.6 A (bin 57)"; empty if only the HDU is known.
[[nodiscard]] std::string to_string(const Place& place);

/// A check passes if no compared value is bad.
struct Check {
  std::string hdu;     ///< "all" if the check concerns the file
  std::string what;    ///< quantity and unit, for people
  double limit = 0;    ///< in the unit of `largest`
  double largest = 0;  ///< largest difference of the stored values; NaN if a value is NaN
  double beyond_rounding =
      0;  ///< largest difference minus the float32 rounding allowance; must be <= limit
  long long compared = 0;               ///< number of compared values
  long long bad = 0;                    ///< number of values beyond the limit
  std::optional<Place> first_bad = {};  ///< in the order of comparison
  std::string problem = {};             ///< description of a non-numeric failure

  [[nodiscard]] bool ok() const { return bad == 0; }  ///< nothing is bad

  /// Adds one comparison, which is bad unless value - allowance <= limit; NaN is bad.
  template <class MakePlace>
  void add(double value, double allowance, const MakePlace& place) {
    ++compared;
    keep_larger(largest, value);
    const double beyond = std::isfinite(value) ? std::max(0.0, value - allowance) : value;
    keep_larger(beyond_rounding, beyond);
    if (!(beyond <= limit)) mark_bad(place());
  }

  /// Adds one comparison for equality; `largest` counts the differences.
  template <class MakePlace>
  void add_equal(bool equal, const MakePlace& place) {
    ++compared;
    if (equal) return;
    mark_bad(place());
    largest = beyond_rounding = static_cast<double>(bad);
  }

  /// Adds a non-numeric failure.
  void add_problem(const Place& place, const std::string& text);

 private:
  static void keep_larger(double& kept, double value);
  void mark_bad(const Place& place);
};

/// The failure in one line: "FLUX: flux pull 0.5 (at most 3e-05): fiber 3, 3655.6 A (bin 57)".
[[nodiscard]] std::string describe_failure(const Check& check);

}  // namespace spex
