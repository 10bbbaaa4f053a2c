// The compression of tiles.
#pragma once

namespace spex {

/// Algorithm of a compressed image's tiles, or of a compressed table's column.
enum class TileAlgorithm {
  rice,           ///< RICE_1
  gzip,           ///< GZIP_1
  gzip_shuffled,  ///< GZIP_2: bytes of equal significance together
};

}  // namespace spex
