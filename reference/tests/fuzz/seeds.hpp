// Small FITS files as fuzz seeds: one of each form that the readers accept.
#pragma once

#include <string>
#include <vector>

namespace spex::fuzz {

/// Preprocessed images of 11 x 9 pixels with a fibermap of 120 rows: plain with both widths of the
/// mask, and tile-compressed by every algorithm, quantized with every dither, in square tiles.
[[nodiscard]] std::vector<std::vector<char>> preproc_seeds();

/// The HDUs of a file, tile-compressed by each lossless method.
[[nodiscard]] std::vector<std::vector<char>> packed_seeds(const std::string& path);

/// Gzip-compresses the bytes, in blocks of 1024 symbols.
[[nodiscard]] std::vector<char> gzipped(const std::vector<char>& bytes);

}  // namespace spex::fuzz
