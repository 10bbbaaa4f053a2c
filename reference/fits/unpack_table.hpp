// One tile-compressed table to a plain binary table.
#pragma once

#include <span>

#include "reference/fits/bytes.hpp"
#include "reference/fits/check_headers.hpp"

namespace spex {

/// Appends the table that the binary table `hdu` holds in compressed form; `data` are its bytes
/// without padding. Throws as unpack does.
void unpack_table(const FitsHdu& hdu, std::span<const char> data, Bytes& out);

}  // namespace spex
