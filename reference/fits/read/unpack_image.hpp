// Decompresses tile-compressed images.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reference/fits/read/check_headers.hpp"
#include "reference/fits/read/image_form.hpp"
#include "reference/fits/read/stored_pixels.hpp"

namespace spex {

/// What the header of a compressed image says about the image.
struct UnpackedHeader {
  ImageForm form;                  ///< of the image
  std::vector<std::string> cards;  ///< header of the image, as an image without axes
};

/// The header of the image that the compressed HDU `hdu` holds. Throws Error(data) for unsupported
/// compression, and if the image is too large for its HDU.
[[nodiscard]] UnpackedHeader unpacked_header(const FitsHdu& hdu);

/// The numbers of the compressed image whose data, without padding, are `data`. Supports RICE_1,
/// GZIP_1 and GZIP_2, quantized or not. Blank numbers of quantized images are NaN; integers are
/// doubles, and NaN where they are blank, if each tile has its own blank value (column ZBLANK).
/// Throws Error(data) if a tile is damaged, lies outside of its HDU or has another size than its
/// header states, and for unsupported compression.
///
/// CFITSIO 4.2 could decompress these HDUs, but trusts divisors, sizes and addresses from damaged
/// files (docs/upstream-faults.md).
[[nodiscard]] StoredPixels unpack_image(const FitsHdu& hdu, std::span<const char> data);

}  // namespace spex
