// Compares two frames for equality.
#pragma once

#include <vector>

#include "reference/compare/check.hpp"
#include "reference/compare/frame_file.hpp"

namespace spex {

/// Checks that `result` has the HDUs of `expected`, with the same shapes and finite values. If the
/// HDUs agree, also compares every value of every image. Tables are compared by the bytes of their
/// rows. The checks have the units of the HDUs.
[[nodiscard]] std::vector<Check> compare_identical(const FrameFile& result,
                                                   const FrameFile& expected);

}  // namespace spex
