// The headers of a FITS file, checked before CFITSIO sees them.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "reference/fits/fits_header.hpp"
#include "reference/fits/read_at.hpp"
#include "reference/fits/table_form.hpp"

namespace spex {

/// One HDU of a file: its header, and where its bytes are.
struct FitsHdu {
  FitsHeader header;               ///< its cards
  long long begin = 0;             ///< of the header, bytes from the start of the file
  long long data = 0;              ///< of the data
  long long data_size = 0;         ///< without padding
  long long end = 0;               ///< of the padding
  std::vector<TableForm> columns;  ///< of a table

  /// Whether it holds a tile-compressed image or table.
  [[nodiscard]] bool is_packed() const {
    return header.logical("ZIMAGE") || header.logical("ZTABLE");
  }
};

/// The size of a file that is known at its end only.
constexpr long long unknown_size = std::numeric_limits<long long>::max();

/// Walks over the HDUs of a file of `size` bytes, images and binary tables, and throws Error(data)
/// where it is cut short, has an HDU of another kind, or where a structural keyword is missing, out
/// of place, doubled, written in a form that another parser may read otherwise (FitsHeader), or has
/// a value that contradicts the others.
///
/// CFITSIO 4.2 trusts all of these: it takes the number of columns from uninitialized memory where
/// TFIELDS is missing, divides by what TDIMn and ZTILEn say, and allocates whatever NAXISn say.
///
/// `at_data` is called with each HDU before the next one is read: for files that are read from
/// their start to their end.
[[nodiscard]] std::vector<FitsHdu> check_headers(
    const ReadAt& read_at, long long size, const std::string& path,
    const std::function<void(const FitsHdu&)>& at_data = {});

}  // namespace spex
