// Checks of a frame's tables: FIBERMAP, copied from the image, and SCORES, computed from the
// spectra.
#pragma once

#include <set>
#include <string>

#include "reference/compare/frame_file.hpp"

namespace spex {

/// Describes the first fault in a frame's tables in one line; "" if there is none. SCORES, if
/// present, must match FLUX and IVAR (extraction.md, section 7) up to their float32 rounding.
/// FIBERMAP must be byte-identical to the one of `reference`, which may be null. The frame must
/// have valid shapes.
[[nodiscard]] std::string wrong_tables(const FrameFile& frame, const std::string& camera,
                                       const FrameFile* reference);

/// The rows of SCORES that do not match FLUX and IVAR; all rows if the table has other columns or
/// another size. Empty without SCORES. The frame must have valid shapes.
[[nodiscard]] std::set<long long> rows_of_wrong_scores(const FrameFile& frame,
                                                       const std::string& camera);

}  // namespace spex
