// One check of a comparison: what was compared, how far it may differ, and where it fails first.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace spex {

/// Where something is wrong, as far as it can be said.
struct Place {
  std::string hdu;                   ///< name of the HDU
  std::optional<long long> fiber;    ///< counted from 0 in the PSF
  std::optional<long long> bin;      ///< w, counted from 0
  std::optional<double> wavelength;  ///< Angstrom
};

/// "fiber 3, 3655.6 A (bin 57)"; empty where nothing but the HDU is known.
[[nodiscard]] std::string to_string(const Place& place);

/// A check passes where none of what it compared is bad.
struct Check {
  std::string hdu;             ///< "all" where it concerns the file
  std::string what;            ///< quantity and unit, for people
  double limit = 0;            ///< in the unit of `largest`
  double largest = 0;          ///< of the files as they are; NaN where a NaN was compared
  double beyond_rounding = 0;  ///< the same, less the float32 rounding allowed: this is <= limit
  long long compared = 0;      ///< how many values were compared
  long long bad = 0;           ///< how many of them are beyond the limit
  std::optional<Place> first_bad = {};  ///< in the order of comparison
  std::string problem = {};             ///< in words, where numbers do not say what is wrong

  [[nodiscard]] bool ok() const { return bad == 0; }  ///< nothing is bad

  /// Counts one comparison. It is bad where value - allowance is not <= limit, which a NaN is not.
  template <class MakePlace>
  void add(double value, double allowance, const MakePlace& place) {
    ++compared;
    keep_larger(largest, value);
    const double beyond = std::isfinite(value) ? std::max(0.0, value - allowance) : value;
    keep_larger(beyond_rounding, beyond);
    if (!(beyond <= limit)) mark_bad(place());
  }

  /// Counts one comparison of things that must be equal; `largest` is how many are not.
  template <class MakePlace>
  void add_equal(bool equal, const MakePlace& place) {
    ++compared;
    if (equal) return;
    mark_bad(place());
    largest = beyond_rounding = static_cast<double>(bad);
  }

  /// Something is wrong that is not a number.
  void add_problem(const Place& place, const std::string& text);

 private:
  static void keep_larger(double& kept, double value);
  void mark_bad(const Place& place);
};

/// What fails, in one line: "FLUX: flux pull 0.5 (at most 3e-05): fiber 3, 3655.6 A (bin 57)".
[[nodiscard]] std::string describe_failure(const Check& check);

}  // namespace spex
