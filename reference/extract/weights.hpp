// Pixel values and weights of a frame (extraction.md, section 1).
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/model/preproc.hpp"

namespace spex {

/// W_i = IVAR_i where it is finite and positive, IMAGE_i is finite, and MASK_i has none of the bits
/// `mask_bits`; else 0. A pixel that is not finite has value 0. Takes the arrays of `preproc` over.
[[nodiscard]] Pixels make_pixels(Preproc&& preproc, std::uint32_t mask_bits);

/// The same of `count` pixels in place: `value` is IMAGE and becomes p (electron), `weight` is IVAR
/// and becomes W (electron^-2), `mask` is MASK. Value and Weight are float or double.
template <class Value, class Weight>
void weigh(std::size_t count, Value* value, Weight* weight, const std::uint32_t* mask,
           std::uint32_t mask_bits);

}  // namespace spex
