// Whether an installation works: its golden cases, and the plan ci.
#pragma once

#include "bench/campaign/campaign.hpp"

namespace spex::bench {

/// Of the settings takes `out`, `launch` and `require_gpu`; without `out` the results are removed.
/// Runs the golden cases that are shipped, by each method and milestone that can run here, and the
/// plan ci. Prints a line for each, which begins with pass, FAIL or skip, and the plan's table.
/// Returns an exit status of docs/results.md: 0, 1 where something could not be run, 3 where a
/// frame is wrong, 5 where the machine is unhealthy. Throws Error where the installation lacks
/// files.
[[nodiscard]] int run_self_test(const CampaignSettings& settings, Signals& signals);

}  // namespace spex::bench
