// Golden cases as a gate before a benchmark: no milestone is timed that misses them.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bench/measure/launch.hpp"

namespace spex::bench {

/// Extracts the case `name` of `cases` with the entry's milestone, one rank, and compares it with
/// its golden frame; an item of `golden` of a result file. `folder` takes the output.
[[nodiscard]] nlohmann::ordered_json run_golden(const std::string& cases, const std::string& name,
                                                const Entry& entry, const Programs& programs,
                                                const std::string& folder, Signals& signals);

}  // namespace spex::bench
