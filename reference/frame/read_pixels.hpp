// Reads pixel values and weights directly from a file.
#pragma once

#include <cstdint>

#include "reference/model/preproc.hpp"

namespace spex {

class FitsReader;

/// Equivalent to read_preproc and make_pixels. The pixels are weighed in cache-sized parts while
/// they are read, so that a plain MASK is never held as a whole; without MASK all bits are 0.
/// `preproc` comes from read_preproc_header. Throws Error(data) as PixelReader does; takes the
/// pixels of a gzip file, so that they cannot be read again.
[[nodiscard]] Pixels read_pixels(FitsReader& file, const Preproc& preproc, std::uint32_t mask_bits);

}  // namespace spex
