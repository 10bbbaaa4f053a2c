// Columns of the current table HDU of a FITS file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/io/fits_file.hpp"

namespace spex {

/// Elements in a cell, and its axes by TDIM (the fastest first; empty where there is no TDIM).
struct ColumnShape {
  long long repeat = 0;
  std::vector<long long> axes;
};

/// All of these throw Error(data) naming the file, the HDU and the column where the HDU is no
/// table, has no such column, or the column is of another kind.
[[nodiscard]] ColumnShape column_shape(const FitsReader& file, const std::string& column);
[[nodiscard]] long long row_count(const FitsReader& file);
[[nodiscard]] std::vector<std::string> read_string_column(const FitsReader& file,
                                                          const std::string& column);
[[nodiscard]] std::vector<std::int64_t> read_integer_column(const FitsReader& file,
                                                            const std::string& column);
/// `count` doubles of one cell; rows count from 1.
[[nodiscard]] std::vector<double> read_double_cell(const FitsReader& file,
                                                   const std::string& column, long row,
                                                   long long count);

}  // namespace spex
