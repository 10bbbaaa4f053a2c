// Whether a speed may be published (docs/benchmark.md, run rules).
#pragma once

#include <string>
#include <vector>

#include "bench/campaign/entry_run.hpp"

namespace spex::bench {

/// The reason of a result whose list of golden cases is not the repository's.
inline constexpr const char* other_goldens = "the golden cases are not the repository's";

/// Why not, each in a line; none where it may be.
[[nodiscard]] std::vector<std::string> not_published_because(const EntryRun& run,
                                                             const RunFacts& facts);

}  // namespace spex::bench
