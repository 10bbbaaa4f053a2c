// The cells of a binary table in memory: tiles, arrays of variable length.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/fits/check_headers.hpp"

namespace spex {

/// Reads cells of a binary table whose header was checked.
class TableCells {
 public:
  /// `data` are the bytes of the HDU's data without padding; both must outlive this.
  TableCells(const FitsHdu& hdu, std::span<const char> data);

  /// Number of the column called `name`, counted from 1.
  [[nodiscard]] std::optional<int> find(const std::string& name) const;
  /// Throws unless the column is one of byte arrays of variable length.
  void check_bytes(int column) const;
  /// Throws unless the column has one number of type D or E.
  void check_real(int column) const;
  /// Throws unless the column has one number of type J.
  void check_integer(int column) const;

  /// Cells of row `row`, counted from 1, of a column that was checked. Throws where an array lies
  /// outside the HDU.
  [[nodiscard]] std::span<const unsigned char> bytes(int column, long long row) const;
  /// The same, a number of type D or E.
  [[nodiscard]] double real(int column, long long row) const;
  /// The same, a number of type J.
  [[nodiscard]] std::int32_t integer(int column, long long row) const;

  /// Throws unless all arrays of variable length lie in the HDU and have no more bytes together
  /// than it has for them. CFITSIO moves and allocates what their descriptors say where it deletes
  /// rows.
  void check_arrays() const;

 private:
  [[nodiscard]] const TableForm& form(int column) const;
  [[nodiscard]] std::span<const unsigned char> cell(int column, long long row) const;
  /// The bytes of an array of variable length; `what` is what errors call it.
  [[nodiscard]] std::span<const unsigned char> array(int column, long long row,
                                                     const char* what) const;
  void check(int column, bool right, const char* expected) const;

  const FitsHdu* hdu_;
  std::span<const unsigned char> data_;
  long long width_ = 0;
  std::size_t heap_ = 0;              // where it starts in data_
  std::vector<std::size_t> offsets_;  // of the columns in a row
};

/// Big-endian number of 1 to 8 bytes.
template <class T>
T load_big_endian(std::span<const unsigned char> bytes) {
  T value = 0;
  for (const unsigned char byte : bytes) value = static_cast<T>((value << 8) | byte);
  return value;
}

}  // namespace spex
