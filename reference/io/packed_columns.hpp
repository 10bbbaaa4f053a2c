// The columns of a binary table that holds tiles.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/io/check_headers.hpp"

namespace spex {

/// Deflate makes at most 1032 bytes of one, the Rice code 341: what claims more is damaged.
constexpr long long most_unpacked_a_byte = 1100;

/// Reads cells of a binary table in memory.
class PackedColumns {
 public:
  /// `data` are the bytes of the HDU's data without padding; both must outlive this.
  PackedColumns(const FitsHdu& hdu, std::span<const char> data);

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
  [[nodiscard]] double real(int column, long long row) const;
  [[nodiscard]] std::int32_t integer(int column, long long row) const;

 private:
  [[nodiscard]] const TableForm& form(int column) const;
  [[nodiscard]] std::span<const unsigned char> cell(int column, long long row) const;
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

/// Appends the cards and END, padded to whole blocks.
void append_header(std::vector<char>& out, const std::vector<std::string>& cards);
/// Pads what was appended behind `begin` to whole blocks.
void pad_data(std::vector<char>& out, std::size_t begin);
/// Appends `size` zero bytes and returns them.
[[nodiscard]] std::span<unsigned char> append_data(std::vector<char>& out, long long size);

}  // namespace spex
