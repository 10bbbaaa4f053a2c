// The extractor's options in a plan, read by the extractor's own parser.
#pragma once

#include <string>

#include "bench/plan/entry.hpp"
#include "bench/plan/plan_object.hpp"

namespace spex::bench {

/// The options of the entry that change what is computed. Throws Error(usage) where they are none
/// of an extractor, or are for spex-bench to give.
[[nodiscard]] ExtractOptions parse_options(const Entry& entry, const PlanObject& object);

/// Throws Error(usage) where the entry's run_options are none of an extractor, or change what is
/// computed. An extractor of the division `optimized` may have others.
void check_run_options(const Entry& entry, const std::string& division, const PlanObject& object);

}  // namespace spex::bench
