// The form of a column of a binary table: TFORMn.
#pragma once

#include <optional>
#include <string_view>

namespace spex {

/// A column's type letter, elements a row, and bytes a row. Of an array of variable length, `type`
/// is that of its elements and `bytes` the size of its descriptors.
struct TableForm {
  char type = ' ';        ///< of an element
  char descriptor = ' ';  ///< 'P' or 'Q' where the length varies, else ' '
  long long repeat = 1;   ///< elements a row
  long long bytes = 0;    ///< a row

  /// Whether it holds arrays of variable length.
  [[nodiscard]] bool varies() const { return descriptor != ' '; }
};

/// Bytes of an element of a type letter of the FITS standard, 0 for any other letter (X: bits).
[[nodiscard]] long long element_bytes(char type);

/// `text` without its quotes, `rT`, `rAw`, `rPT(n)` or `rQT(n)` in capitals and without blanks;
/// nothing for any other form, although CFITSIO takes some of them.
[[nodiscard]] std::optional<TableForm> parse_table_form(std::string_view text);

}  // namespace spex
