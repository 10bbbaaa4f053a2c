// Checks of a frame file beyond the values that compare_frames covers.
#pragma once

#include <string>
#include <vector>

#include "reference/compare/check.hpp"
#include "reference/compare/frame_file.hpp"

namespace spex {

/// Checks HDUs, headers, checksums and tables of `result` (frame_headers.hpp, frame_tables.hpp),
/// against `expected` unless null. `camera` is the frame's required camera; empty: the header's. An
/// unreadable file is a failed check.
[[nodiscard]] std::vector<Check> compare_whole_file(const FrameFile& result,
                                                    const FrameFile* expected,
                                                    const std::string& camera);

}  // namespace spex
