#include "reference/io/psf_table.hpp"

#include <fmt/format.h>

#include "reference/core/all_finite.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"

namespace spex {

PsfTable::PsfTable(const FitsReader& file, int nfiber, int ncoeff) : file_(file) {
  const std::vector<std::string> names = read_string_column(file, "PARAM");
  for (std::size_t i = 0; i < names.size(); ++i) rows_.emplace(names[i], static_cast<long>(i) + 1);
  const ColumnShape shape = column_shape(file, "COEFF");
  repeat_ = shape.repeat;
  if (repeat_ != static_cast<long long>(nfiber) * ncoeff ||
      (!shape.axes.empty() && shape.axes[0] != ncoeff))
    throw data_error(
        file.path(),
        fmt::format("PSF: COEFF has the shape {}",
                    shape.axes.empty() ? std::to_string(repeat_)
                                       : fmt::format("{}", fmt::join(shape.axes, " x "))),
        fmt::format("LEGDEG + 1 x fibers, {} x {}", ncoeff, nfiber));
}

long PsfTable::row_of(const std::string& parameter) const {
  const auto row = rows_.find(parameter);
  if (row == rows_.end()) throw data_error(file_.path(), "PSF has no parameter row " + parameter);
  return row->second;
}

std::vector<double> PsfTable::coefficients(const std::string& parameter) const {
  return read_double_cell(file_, "COEFF", row_of(parameter), repeat_);
}

double PsfTable::number(const std::string& column, const std::string& parameter) const {
  const std::vector<double> value = read_double_cell(file_, column, row_of(parameter), 1);
  if (!all_finite(value))
    throw data_error(file_.path(), fmt::format("{} of {} is not finite", column, parameter),
                     "a finite number");
  return value.front();
}

std::vector<double> PsfTable::finite_coefficients(const std::string& parameter) const {
  std::vector<double> coeff = coefficients(parameter);
  check_finite_coefficients(coeff, file_, "parameter " + parameter);
  return coeff;
}

void check_finite_coefficients(const std::vector<double>& coeff, const FitsReader& file,
                               const std::string& what) {
  if (!all_finite(coeff))
    throw data_error(file.path(), what + " has a coefficient that is not finite", "finite numbers");
}

}  // namespace spex
