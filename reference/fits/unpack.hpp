// Tile-compressed HDUs (.fz) to plain ones, before CFITSIO sees the file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reference/fits/bytes.hpp"
#include "reference/fits/check_headers.hpp"

namespace spex {

/// Whether any HDU is tile-compressed.
[[nodiscard]] bool any_packed(const std::vector<FitsHdu>& hdus);

/// The FITS file `bytes`, whose headers check_headers gave, with every tile-compressed image and
/// table in it decompressed; other HDUs are copied. Throws Error(data) where a tile is damaged,
/// lies outside its HDU or has another size than its header says, and for what is not supported:
/// images by RICE_1, GZIP_1 and GZIP_2, quantized or not, and tables without columns of variable
/// length are.
///
/// CFITSIO 4.2 could decompress them too, but divides by, allocates by and reads and writes at what
/// a damaged file says (docs/upstream-faults.md).
[[nodiscard]] Bytes unpack(std::span<const char> bytes, const std::vector<FitsHdu>& hdus);

}  // namespace spex
