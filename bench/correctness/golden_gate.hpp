// Golden cases as a gate before a benchmark: no milestone is timed that misses them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/correctness/known_files.hpp"
#include "bench/measure/launch.hpp"

namespace spex::bench {

/// An entry's program and milestone, for `run_golden`.
[[nodiscard]] std::vector<std::string> golden_extractor(const Entry& entry,
                                                        const Programs& programs);

/// Extracts the case `name` of `cases` with a program and its own options, one rank, and compares
/// it with its golden frame; an item of `golden` of a result file. `folder` takes the output. A
/// program that opens or moves one of `closed` misses the case: it could work ahead there, off the
/// clock. So does one that opens the golden frame: it is run again, as somebody else may have, but
/// not often. Throws Error(data) where a file of the case cannot be read.
[[nodiscard]] nlohmann::ordered_json run_golden(const std::string& cases, const std::string& name,
                                                const std::vector<std::string>& extractor,
                                                const std::string& folder, Signals& signals,
                                                const ClosedFiles& closed = {});

}  // namespace spex::bench
