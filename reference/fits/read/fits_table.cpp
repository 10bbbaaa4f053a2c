#include "reference/fits/read/fits_table.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex {
namespace {

std::string named(const FitsReader& file, const std::string& column) {
  return fmt::format("{}: column {}", file.hdu_name(), column);
}

struct Column {
  int number = 0;
  int type = 0;  // CFITSIO's type; negative for arrays of variable length
  long long repeat = 0;
  long long width = 0;
};

Column find_column(const FitsReader& file, const std::string& column) {
  file.require_table();
  int status = 0;
  Column found;
  std::string name = column;
  fits_get_colnum(file.get(), CASEINSEN, name.data(), &found.number, &status);
  if (status == COL_NOT_FOUND)
    throw data_error(file.path(), file.hdu_name() + " has no column " + column);
  LONGLONG repeat = 0;
  LONGLONG width = 0;
  fits_get_coltypell(file.get(), found.number, &found.type, &repeat, &width, &status);
  fits_check(status, file.path(), named(file, column));
  found.repeat = repeat;
  found.width = width;
  return found;
}

}  // namespace

long long row_count(const FitsReader& file) {
  int status = 0;
  LONGLONG rows = 0;
  fits_get_num_rowsll(file.get(), &rows, &status);
  fits_check(status, file.path(), file.hdu_name() + ": cannot count its rows");
  return rows;
}

ColumnShape column_shape(const FitsReader& file, const std::string& column) {
  const Column found = find_column(file, column);
  ColumnShape shape;
  shape.repeat = found.repeat;
  if (file.find_string(fmt::format("TDIM{}", found.number).c_str())) {
    constexpr int max_axes = 8;
    int status = 0;
    int naxis = 0;
    LONGLONG axes[max_axes] = {};
    fits_read_tdimll(file.get(), found.number, max_axes, &naxis, axes, &status);
    fits_check(status, file.path(), named(file, column));
    shape.axes.assign(axes, axes + std::min(naxis, max_axes));
  }
  return shape;
}

std::vector<std::string> read_string_column(const FitsReader& file, const std::string& column) {
  const Column found = find_column(file, column);
  if (found.type != TSTRING || found.repeat < 1 || found.repeat > 1000)
    throw data_error(file.path(), named(file, column) + " holds no text", "a text column");
  std::vector<std::string> values(row_count(file));
  std::string cell(static_cast<std::size_t>(found.repeat) + 1, '\0');
  for (std::size_t row = 0; row < values.size(); ++row) {
    int status = 0;
    char* text = cell.data();
    char null[] = "";
    fits_read_col(file.get(), TSTRING, found.number, static_cast<LONGLONG>(row) + 1, 1, 1, null,
                  &text, nullptr, &status);
    fits_check(status, file.path(), named(file, column));
    values[row] = text;
    values[row].erase(values[row].find_last_not_of(' ') + 1);
  }
  return values;
}

std::vector<std::int64_t> read_integer_column(const FitsReader& file, const std::string& column) {
  const Column found = find_column(file, column);
  if (found.type == TSTRING || found.type < 0 || found.repeat != 1)
    throw data_error(file.path(), named(file, column) + " does not hold single numbers",
                     "one integer per row");
  std::vector<LONGLONG> values(row_count(file));
  std::vector<char> is_null(values.size());
  int status = 0;
  int any_null = 0;  // CFITSIO 4.2 writes to it if there is one
  if (!values.empty())
    fits_read_colnull(file.get(), TLONGLONG, found.number, 1, 1,
                      static_cast<LONGLONG>(values.size()), values.data(), is_null.data(),
                      &any_null, &status);
  fits_check(status, file.path(), named(file, column));
  if (const auto null = std::ranges::find(is_null, 1); null != is_null.end())
    throw data_error(
        file.path(),
        fmt::format("{} has no value in row {}", named(file, column), null - is_null.begin() + 1),
        "one integer per row");
  return {values.begin(), values.end()};
}

std::vector<double> read_double_cell(const FitsReader& file, const std::string& column, long row,
                                     long long count) {
  const Column found = find_column(file, column);
  if (found.type == TSTRING || found.type < 0 || count > found.repeat)
    throw data_error(file.path(), named(file, column) + " holds no such array", "numbers");
  std::vector<double> values(count);
  double nan = std::numeric_limits<double>::quiet_NaN();
  // Only integers have a null value. In floating-point columns CFITSIO would replace more.
  const bool integers = found.type != TDOUBLE && found.type != TFLOAT;
  int status = 0;
  int any_null = 0;
  fits_read_col(file.get(), TDOUBLE, found.number, row, 1, count, integers ? &nan : nullptr,
                values.data(), &any_null, &status);
  fits_check(status, file.path(), named(file, column));
  return values;
}

}  // namespace spex
