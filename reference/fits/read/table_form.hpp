// The form of a column of a binary table: TFORMn.
#pragma once

#include <optional>
#include <string_view>

namespace spex {

/// Type letter, elements and bytes per row of a column. For arrays of variable length, `type` is
/// the type of the elements and `bytes` is the size of the descriptors.
struct TableForm {
  char type = ' ';        ///< of an element
  char descriptor = ' ';  ///< 'P' or 'Q' for arrays of variable length, else ' '
  long long repeat = 1;   ///< elements per row
  long long bytes = 0;    ///< bytes per row

  /// Whether the column holds arrays of variable length.
  [[nodiscard]] bool varies() const { return descriptor != ' '; }
};

/// Bytes of an element by the FITS type letter; 0 for any other letter and for X (bits).
[[nodiscard]] long long element_bytes(char type);

/// Parses `text` without quotes: `rT`, `rAw`, `rPT(n)` or `rQT(n)` in capitals, without blanks.
/// Returns nothing for any other form, including forms that CFITSIO accepts.
[[nodiscard]] std::optional<TableForm> parse_table_form(std::string_view text);

}  // namespace spex
