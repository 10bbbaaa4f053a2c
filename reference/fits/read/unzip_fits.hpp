// Reads gzip-compressed FITS files sequentially.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "reference/fits/bytes.hpp"
#include "reference/fits/read/check_headers.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {

/// Unscaled pixels of BITPIX -32 or 32, in native byte order.
using NativePixels = std::variant<std::vector<float>, std::vector<std::uint32_t>>;

/// The content of a gzip-compressed FITS file.
struct UnzippedFits {
  /// The file; the pixels of `images` are left unwritten.
  Bytes bytes;
  std::vector<FitsHdu> hdus;           ///< all HDUs, checked
  std::map<int, NativePixels> images;  ///< key: index of the HDU in `hdus`
};

/// Inflates the gzip FITS file of `size` bytes that `read_at` reads, checks its headers and
/// converts its plain images of 4-byte pixels while they are in the cache, so that hundreds of MB
/// are neither written twice nor read again. Throws Error(data) as GzipReader and check_headers do;
/// errors of the compression take precedence.
[[nodiscard]] UnzippedFits unzip_fits(const ReadAt& read_at, std::size_t size,
                                      const std::string& path);

}  // namespace spex
