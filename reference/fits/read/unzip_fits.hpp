// Reads gzip-compressed FITS files sequentially.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/fits/read/inflate_ahead.hpp"
#include "reference/fits/read/source_hdu.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {

/// The content of a gzip-compressed FITS file.
struct UnzippedFits {
  std::vector<SourceHdu> hdus;  ///< checked, with their data; without `cards` and `form`
  long long size = 0;           ///< bytes of the content
};

/// Inflates the gzip FITS file of `size` bytes that `read_at` reads, checks its headers, and turns
/// and sums the pixels of images while they are in the cache, so that hundreds of MB are neither
/// written twice nor read again. Images with an EXTNAME that is not in `images` are not kept,
/// unless `images` is empty. Throws Error(data) as GzipReader and check_headers do; errors of the
/// compression take precedence.
[[nodiscard]] UnzippedFits unzip_fits(const ReadAt& read_at, std::size_t size,
                                      const std::string& path,
                                      const std::vector<std::string>& images,
                                      const InflateThreads& threads);

}  // namespace spex
