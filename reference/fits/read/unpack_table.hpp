// Decompresses a tile-compressed table to a plain binary table.
#pragma once

#include <span>

#include "reference/fits/bytes.hpp"
#include "reference/fits/read/check_headers.hpp"

namespace spex {

/// Appends the compressed table of the binary table `hdu` as a plain table. `data` are the HDU's
/// bytes without padding. Throws as unpack does.
void unpack_table(const FitsHdu& hdu, std::span<const char> data, Bytes& out);

}  // namespace spex
