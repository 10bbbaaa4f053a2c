// Columns of the current table HDU of a FITS file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/fits/read/fits_file.hpp"

namespace spex {

/// Number of elements in a cell and its axes by TDIM (fastest first; empty without TDIM).
struct ColumnShape {
  long long repeat = 0;         ///< elements in a cell
  std::vector<long long> axes;  ///< empty without TDIM
};

/// All functions throw Error(data) naming the file, the HDU and the column if the HDU is not a
/// table, has no such column, or the column has another type, and naming the HDU if one of its
/// checksums is wrong.
[[nodiscard]] ColumnShape column_shape(const FitsReader& file, const std::string& column);
/// Rows of the current table.
[[nodiscard]] long long row_count(const FitsReader& file);
/// The strings of a column, one per row, without trailing blanks.
[[nodiscard]] std::vector<std::string> read_string_column(const FitsReader& file,
                                                          const std::string& column);
/// The integers of a column, one per row. Throws also if one has the null value (TNULLn).
[[nodiscard]] std::vector<std::int64_t> read_integer_column(const FitsReader& file,
                                                            const std::string& column);
/// `count` doubles of one cell, NaN where they have the null value (TNULLn); rows count from 1.
[[nodiscard]] std::vector<double> read_double_cell(const FitsReader& file,
                                                   const std::string& column, long row,
                                                   long long count);

}  // namespace spex
