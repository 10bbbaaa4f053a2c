// Pixel values and weights straight from a file.
#pragma once

#include <cstdint>

#include "reference/model/preproc.hpp"

namespace spex {

class FitsReader;

/// make_pixels of what read_preproc reads. IMAGE and IVAR of float32 and MASK of int32 are weighed
/// a part at a time, while that is in a cache, and MASK is never there as a whole. `preproc` is
/// read_preproc_header's, and has no pixels afterwards either. Throws Error(data).
[[nodiscard]] Pixels read_pixels(FitsReader& file, Preproc& preproc, std::uint32_t mask_bits);

}  // namespace spex
