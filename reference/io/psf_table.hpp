// The HDU PSF of a PSF file: a table with a row for each parameter (extraction.md, section 1).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/fits/read/fits_table.hpp"

namespace spex {

/// The parameters of a table PSF, found by name. The file must stay open, at this HDU.
class PsfTable {
 public:
  /// `ncoeff` Legendre coefficients of `nfiber` fibers in each row. Throws Error(data) if the
  /// column PARAM or COEFF is missing or COEFF has another shape.
  PsfTable(const FitsReader& file, int nfiber, int ncoeff);

  /// Whether there is a row with this PARAM.
  [[nodiscard]] bool has(const std::string& parameter) const { return rows_.contains(parameter); }
  /// Its COEFF `[fiber][ncoeff]`. Throws Error(data) if there is no such row.
  [[nodiscard]] std::vector<double> coefficients(const std::string& parameter) const;
  /// The same; throws Error(data) also if one is not finite.
  [[nodiscard]] std::vector<double> finite_coefficients(const std::string& parameter) const;
  /// The number of a column, such as WAVEMIN, in its row. Throws Error(data) if there is no such
  /// row or column, or the number is not finite.
  [[nodiscard]] double number(const std::string& column, const std::string& parameter) const;

 private:
  [[nodiscard]] long row_of(const std::string& parameter) const;

  const FitsReader& file_;
  long long repeat_;
  std::map<std::string, long> rows_;  // counted from 1
};

/// Throws Error(data) `file: what has a coefficient that is not finite`.
void check_finite_coefficients(const std::vector<double>& coeff, const FitsReader& file,
                               const std::string& what);

}  // namespace spex
