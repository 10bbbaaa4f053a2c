// The tables of a frame: what is copied from the image, and what follows from its own spectra.
#pragma once

#include <string>

#include "reference/compare/frame_file.hpp"

namespace spex {

/// What is wrong with a frame's tables, in a line; "" where nothing is. SCORES, where it has them,
/// must be those of its own FLUX and IVAR (extraction.md, section 7) but for the rounding of these
/// to float32; FIBERMAP must have the bytes of that of `reference`, which may be null. Shapes are
/// those of a frame.
[[nodiscard]] std::string wrong_tables(const FrameFile& frame, const std::string& camera,
                                       const FrameFile* reference);

}  // namespace spex
