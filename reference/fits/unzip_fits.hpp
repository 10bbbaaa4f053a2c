// FITS files that were compressed as a whole, read from their start to their end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "reference/fits/bytes.hpp"
#include "reference/fits/check_headers.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {

/// Pixels of BITPIX -32 or 32 without scaling, in the processor's byte order.
using NativePixels = std::variant<std::vector<float>, std::vector<std::uint32_t>>;

/// A FITS file that was inflated.
struct UnzippedFits {
  /// The file, but that nothing was written where the pixels of `images` would be.
  Bytes bytes;
  std::vector<FitsHdu> hdus;           ///< all of them, checked
  std::map<int, NativePixels> images;  ///< by the index of their HDU in `hdus`
};

/// Inflates the gzip FITS file of `size` bytes that `read_at` reads, checks its headers and
/// converts its plain images of 4-byte pixels as they come, while they are in a cache: hundreds of
/// MB that are neither written to memory twice nor read again. Throws Error(data) as GzipReader and
/// check_headers; what is wrong with the compression comes first.
[[nodiscard]] UnzippedFits unzip_fits(const ReadAt& read_at, std::size_t size,
                                      const std::string& path);

}  // namespace spex
