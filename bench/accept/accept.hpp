// `spex-bench accept`: whether a machine is correct and fast enough.
#pragma once

#include <optional>
#include <string>

#include "bench/campaign/campaign.hpp"

namespace spex::bench {

struct AcceptSettings {
  CampaignSettings campaign;                   ///< the target sets its thresholds
  std::string plan;                            ///< empty: the shipped plan for this machine
  std::optional<std::string> target, against;  ///< at most one of them (accept/target.hpp)
  std::optional<int> repeats;                  ///< timed runs of each entry that is no long run
  bool list = false;                           ///< print what would run, and run nothing
};

/// Chooses the plan for this machine and prints its cost. Runs the plan and judges it. Writes
/// OUT/acceptance.json, .md, .csv and .xml, which keep the judgments before; prints ACCEPT, REJECT
/// or REPEAT with the number that decides. Without a target takes the shipped peer of this
/// hardware, and otherwise 15min; on a terminal it asks. Returns 0 for ACCEPT, otherwise the exit
/// status of the plan. Throws Error(usage) for a wrong target and Error(data) if the disk is too
/// small.
[[nodiscard]] int run_accept(const AcceptSettings& settings, Signals& signals);

}  // namespace spex::bench
