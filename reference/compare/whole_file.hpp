// All of a frame's file beside the values that compare_frames holds to a tolerance.
#pragma once

#include <string>
#include <vector>

#include "reference/compare/check.hpp"
#include "reference/compare/frame_file.hpp"

namespace spex {

/// Checks of the HDUs, headers, checksums and tables of `result` (frame_headers.hpp,
/// frame_tables.hpp), against those of `expected` where it is not null. `camera` is whose frame it
/// is; where empty, that of the header. What cannot be read is a check that fails.
[[nodiscard]] std::vector<Check> compare_whole_file(const FrameFile& result,
                                                    const FrameFile* expected,
                                                    const std::string& camera);

}  // namespace spex
