// The header of a tile-compressed image.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/fits/read/check_headers.hpp"
#include "reference/fits/read/dequantize.hpp"
#include "reference/fits/read/image_form.hpp"
#include "reference/fits/read/table_cells.hpp"

namespace spex {

/// Axes of a compressed image, at most: CFITSIO's limit.
inline constexpr std::size_t max_tiled_axes = 6;

/// How tiles are compressed.
enum class TileAlgorithm {
  rice,           ///< RICE_1
  gzip,           ///< GZIP_1
  gzip_shuffled,  ///< GZIP_2: bytes of equal significance together
};

/// What the header of a compressed image says.
struct TiledImage {
  TileAlgorithm algorithm = TileAlgorithm::gzip;  ///< of the tiles
  ImageForm form;                                 ///< of the image
  std::vector<long long> tile;                    ///< size of a whole tile along each axis, pixels
  long long tiles = 1;                            ///< number of tiles
  long long rice_block = 32;                      ///< pixels of a block of Rice's code
  long long rice_bytes = 4;                       ///< bytes of a coded pixel
  bool quantized = false;     ///< whether the tiles are integers of real numbers
  Quantization quantization;  ///< how, without what each tile has of its own
};

/// Reads the header of a compressed HDU with these columns. Throws Error(data) for unsupported
/// compression, and if the image is too large for its HDU.
[[nodiscard]] TiledImage describe_tiles(const FitsHdu& hdu, const TableCells& columns);

/// The header of the image without axes that a compressed HDU with this header holds.
[[nodiscard]] std::vector<std::string> image_cards(const FitsHeader& header, const ImageForm& form);

}  // namespace spex
