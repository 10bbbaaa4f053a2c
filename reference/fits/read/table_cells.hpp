// Cells of a binary table in memory: tiles and arrays of variable length.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/fits/read/check_headers.hpp"

namespace spex {

/// Reads cells of a binary table whose header was checked.
class TableCells {
 public:
  /// `data` are the HDU's data without padding; `hdu` and `data` must outlive this object.
  TableCells(const FitsHdu& hdu, std::span<const char> data);

  /// The number of the column `name`, counted from 1.
  [[nodiscard]] std::optional<int> find(const std::string& name) const;
  /// Throws unless the column holds byte arrays of variable length.
  void check_bytes(int column) const;
  /// Throws unless the column holds one number of type D or E per row.
  void check_real(int column) const;
  /// Throws unless the column holds one number of type J per row.
  void check_integer(int column) const;

  /// The cell in row `row`, counted from 1, of a checked column. Throws if the array lies outside
  /// the HDU.
  [[nodiscard]] std::span<const unsigned char> bytes(int column, long long row) const;
  /// The same for a number of type D or E.
  [[nodiscard]] double real(int column, long long row) const;
  /// The same for a number of type J.
  [[nodiscard]] std::int32_t integer(int column, long long row) const;

  /// Throws unless all arrays of variable length lie in the heap and together fit into it. CFITSIO
  /// trusts their descriptors when it deletes rows.
  void check_arrays() const;

 private:
  [[nodiscard]] const TableForm& form(int column) const;
  [[nodiscard]] std::span<const unsigned char> cell(int column, long long row) const;
  /// The bytes of an array of variable length; `what` is its name in errors.
  [[nodiscard]] std::span<const unsigned char> array(int column, long long row,
                                                     const char* what) const;
  void check(int column, bool right, const char* expected) const;

  const FitsHdu* hdu_;
  std::span<const unsigned char> data_;
  long long width_ = 0;
  std::size_t heap_ = 0;              // offset of the heap in data_
  std::vector<std::size_t> offsets_;  // offsets of the columns in a row
};

/// Big-endian number of 1 to 8 bytes.
template <class T>
T load_big_endian(std::span<const unsigned char> bytes) {
  T value = 0;
  for (const unsigned char byte : bytes) value = static_cast<T>((value << 8) | byte);
  return value;
}

}  // namespace spex
