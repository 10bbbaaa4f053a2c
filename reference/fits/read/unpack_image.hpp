// Decompresses a tile-compressed image to a plain image HDU.
#pragma once

#include <span>

#include "reference/fits/bytes.hpp"
#include "reference/fits/read/check_headers.hpp"

namespace spex {

/// Appends the compressed image of the binary table `hdu` as a plain image HDU. `data` are the
/// table's bytes without padding. Throws as unpack does.
void unpack_image(const FitsHdu& hdu, std::span<const char> data, Bytes& out);

}  // namespace spex
