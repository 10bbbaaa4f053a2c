// What is unusual about a frame, for logs.
#pragma once

#include <string>
#include <vector>

#include "reference/frame/assemble_frame.hpp"

namespace spex {

/// A line for each count that is unusual: the same in the programs and in Python.
[[nodiscard]] std::vector<std::string> warnings_of(const PatchCounts& counts);

}  // namespace spex
