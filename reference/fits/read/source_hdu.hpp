// An HDU of a file that is open for reading.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "reference/core/header_word.hpp"
#include "reference/fits/bytes.hpp"
#include "reference/fits/read/check_headers.hpp"
#include "reference/fits/read/image_form.hpp"
#include "reference/fits/read/stored_pixels.hpp"

namespace spex {

/// An HDU and where its data are.
struct SourceHdu {
  FitsHdu hdu;                          ///< as stored
  std::vector<std::string> cards = {};  ///< its header, for CFITSIO: that of an image has no axes
  ImageForm form = {};                  ///< of an image
  /// Bytes: a table, or a compressed image, with the padding. StoredPixels: an image of a gzip
  /// file, or a decompressed image. std::monostate: an image in the file, or one that is not
  /// wanted.
  std::variant<std::monostate, Bytes, StoredPixels> data = {};
  std::uint32_t datasum = 0;  ///< checksum of the data with their padding, if they are in memory
};

/// Whether the pixels of image `hdu` may be asked for: `images` is empty or has its EXTNAME
/// (compared by header_word, as FitsReader does), or it has none.
[[nodiscard]] inline bool is_wanted(const FitsHdu& hdu, const std::vector<std::string>& images) {
  const std::string name = header_word(hdu.name());
  return images.empty() || name.empty() ||
         std::ranges::find(images, name, header_word) != images.end();
}

}  // namespace spex
