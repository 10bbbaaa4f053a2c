// Writes keywords and tables into FITS files in memory.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/write/fits_memory.hpp"
#include "reference/fits/write/fits_write.hpp"

namespace spex {

/// Writes keywords into the current HDU. Throws Error(data).
void write_keywords(FitsMemory& out, const std::vector<HeaderKeyword>& keywords);

/// A column of a table.
struct Column {
  std::string name;  ///< TTYPE
  std::string form;  ///< TFORM
};

/// Appends a table HDU. Throws Error(data).
void create_table(FitsMemory& out, const char* name, long long rows,
                  const std::vector<Column>& columns);

/// Writes all rows of a column, counted from 1, of the current HDU; `type` is CFITSIO's type of T
/// (TDOUBLE ...). Throws Error(data).
template <class T>
void write_column(FitsMemory& out, int type, int column, const std::vector<T>& values) {
  int status = 0;
  void* const data = reinterpret_cast<void*>(const_cast<T*>(values.data()));
  fits_write_col(out.get(), type, column, 1, 1, static_cast<LONGLONG>(values.size()), data,
                 &status);
  fits_check(status, out.name(), fmt::format("cannot write column {}", column));
}

/// The same for a column of strings.
void write_texts(FitsMemory& out, int column, const std::vector<std::string>& texts);

}  // namespace spex
