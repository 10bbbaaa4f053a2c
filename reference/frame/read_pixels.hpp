// Reads pixel values and weights directly from a file.
#pragma once

#include <cstdint>

#include "reference/model/preproc.hpp"

namespace spex {

class FitsReader;

/// Equivalent to read_preproc and make_pixels. IMAGE and IVAR of float32 and MASK of int32 are
/// processed in cache-sized parts, so that MASK is never held as a whole; without MASK all bits are
/// 0. `preproc` comes from read_preproc_header and stays without pixels. Throws Error(data).
[[nodiscard]] Pixels read_pixels(FitsReader& file, Preproc& preproc, std::uint32_t mask_bits);

}  // namespace spex
