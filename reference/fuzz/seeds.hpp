// Small whole FITS files to start from: one of each form that the readers take.
#pragma once

#include <string>
#include <vector>

namespace spex::fuzz {

/// A preprocessed image of 11 x 9 pixels with a fibermap of 120 rows: plain with either width of
/// mask, and tile-compressed by every algorithm, quantized with every dither, in square tiles.
[[nodiscard]] std::vector<std::vector<char>> preproc_seeds();

/// The HDUs of a file, tile-compressed in each of the ways that lose nothing.
[[nodiscard]] std::vector<std::vector<char>> packed_seeds(const std::string& path);

/// The bytes as a gzip file.
[[nodiscard]] std::vector<char> gzipped(const std::vector<char>& bytes);

}  // namespace spex::fuzz
