// Golden cases as a gate before a benchmark: a milestone that fails one is not timed.
#pragma once

#include <string>
#include <vector>

#include "bench/result/record.hpp"
#include "bench/run/launch.hpp"
#include "bench/run/signals.hpp"

namespace spex::bench {

/// Extracts the case `name` of `cases` with the program and options `extractor`, on one rank, and
/// compares the result with the golden frame. `folder` receives the output. Throws Error(data) if a
/// file of the case cannot be read.
[[nodiscard]] GoldenRecord run_golden(const std::string& cases, const std::string& name,
                                      const std::vector<std::string>& extractor,
                                      const std::string& folder, Signals& signals);

}  // namespace spex::bench
