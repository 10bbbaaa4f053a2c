// Checks of FITS headers before CFITSIO reads them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "reference/fits/fits_header.hpp"
#include "reference/fits/read/table_form.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {

/// One HDU of a file: its header and byte ranges.
struct FitsHdu {
  FitsHeader header;               ///< its cards
  long long begin = 0;             ///< offset of the header in the file, bytes
  long long data = 0;              ///< offset of the data
  long long data_size = 0;         ///< bytes, without padding
  long long end = 0;               ///< end of the padding
  std::uint32_t header_sum = 0;    ///< checksum of the header's bytes
  bool in_table = false;           ///< whether the HDU is a binary table
  std::vector<TableForm> columns;  ///< columns of a binary table

  /// EXTNAME, or "".
  [[nodiscard]] std::string name() const;
  /// The HDU in errors: "HDU IVAR", or "HDU number 2" without EXTNAME.
  [[nodiscard]] std::string title() const;
  /// Whether the HDU is a tile-compressed image.
  [[nodiscard]] bool is_packed() const { return header.logical("ZIMAGE"); }
  /// Whether the HDU is a table that is not a tile-compressed image.
  [[nodiscard]] bool is_table() const { return in_table && !is_packed(); }
};

/// The size of a file whose length is not yet known.
constexpr long long unknown_size = std::numeric_limits<long long>::max();

/// Reads the headers of all HDUs (images and binary tables) of a file of `size` bytes. Throws
/// Error(data) if the file is cut short, if an HDU is of another kind or a compressed table, or if
/// a structural keyword is missing, misplaced, duplicated, ambiguous (FitsHeader), or inconsistent
/// with other keywords.
///
/// CFITSIO 4.2 trusts these keywords: without TFIELDS it uses uninitialized memory as the number of
/// columns; it divides by values of TDIMn and ZTILEn; it allocates any size that NAXISn state.
///
/// `at_data` is called with each HDU before the next header is read, for files that are read as a
/// stream.
[[nodiscard]] std::vector<FitsHdu> check_headers(
    const ReadAt& read_at, long long size, const std::string& path,
    const std::function<void(const FitsHdu&)>& at_data = {});

}  // namespace spex
