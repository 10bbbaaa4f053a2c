// Golden cases as a gate before a benchmark: no milestone is timed that misses them.
#pragma once

#include <string>
#include <vector>

#include "bench/result/record.hpp"
#include "bench/run/launch.hpp"
#include "bench/run/signals.hpp"

namespace spex::bench {

/// Extracts the case `name` of `cases` with a program and its own options, one rank, and compares
/// it with its golden frame. `folder` takes the output. Throws Error(data) where a file of the case
/// cannot be read.
[[nodiscard]] GoldenRecord run_golden(const std::string& cases, const std::string& name,
                                      const std::vector<std::string>& extractor,
                                      const std::string& folder, Signals& signals);

}  // namespace spex::bench
