// The result of a run of a plan, for people.
#pragma once

#include <vector>

#include "bench/campaign/entry_run.hpp"

namespace spex::bench {

/// A row an entry on stdout: how it was run, its speed where it is right, and its verdict.
void print_table(const std::vector<EntryRun>& runs, const RunFacts& facts);

}  // namespace spex::bench
