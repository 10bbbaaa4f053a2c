// The plan of `spex-bench accept` for a machine.
#pragma once

#include <optional>
#include <string>

#include "bench/machine/machine.hpp"
#include "bench/plan/plan.hpp"

namespace spex::bench {

/// The group of entries that use one GPU of several, gpu-0, gpu-1, ...
inline constexpr const char* alone_group = "alone";

/// The shipped plan for this machine. On GPUs `accept-gpu`: its entries use all GPUs, and of
/// several each is also used alone. Otherwise `accept-cpu`, or `accept-cpu-quick` where an exposure
/// takes more than ten minutes.
[[nodiscard]] Plan accept_plan(const Machine& machine, bool require_gpu);

/// The plan with `repeats` timed runs of each entry that is no long run.
[[nodiscard]] Plan with_repeats(const Plan& plan, int repeats);

}  // namespace spex::bench
