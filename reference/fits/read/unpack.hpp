// Decompresses tile-compressed HDUs (.fz) before CFITSIO sees the file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reference/fits/bytes.hpp"
#include "reference/fits/read/check_headers.hpp"

namespace spex {

/// Whether an HDU is tile-compressed.
[[nodiscard]] bool any_packed(const std::vector<FitsHdu>& hdus);

/// Decompresses all tile-compressed images and tables of the FITS file `bytes`, whose headers were
/// read by check_headers; copies the other HDUs. Supports images compressed by RICE_1, GZIP_1 and
/// GZIP_2, quantized or not, and tables without columns of variable length. Throws Error(data) if a
/// tile is damaged, lies outside of its HDU or has another size than its header states, and for
/// unsupported compression.
///
/// CFITSIO 4.2 could decompress these HDUs, but trusts divisors, sizes and addresses from damaged
/// files (docs/upstream-faults.md).
[[nodiscard]] Bytes unpack(std::span<const char> bytes, const std::vector<FitsHdu>& hdus);

}  // namespace spex
