// The page that an acceptance ends with.
#pragma once

#include <string>
#include <vector>

#include "bench/accept/target.hpp"
#include "bench/result/record.hpp"

namespace spex::bench {

/// Markdown: the verdict, the target, the machine, the speed, whether the frames are right, the
/// reasons of a REJECT and what was unusual, and how others can run the plan again. `status` is
/// that of the plan.
[[nodiscard]] std::string acceptance_page(const std::vector<Record>& records, const Target& target,
                                          int status);

}  // namespace spex::bench
