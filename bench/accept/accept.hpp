// `spex-bench accept`: whether a machine is correct and fast enough.
#pragma once

#include <optional>
#include <string>

#include "bench/campaign/campaign.hpp"

namespace spex::bench {

struct AcceptSettings {
  CampaignSettings campaign;                   ///< the target sets its thresholds
  std::string plan;                            ///< empty: the shipped plan for this machine's GPUs
  std::optional<std::string> target, against;  ///< at most one of them
};

/// Chooses the plan for the GPUs of this machine and prints its cost. Runs the plan, prints ACCEPT
/// or REJECT with the reasons, and writes OUT/acceptance.md. Without a target, asks for one on a
/// terminal, and otherwise takes 15min. Returns 0 for ACCEPT, otherwise the exit status of the
/// plan. Throws Error(usage) for a wrong target and Error(data) if the disk is too small.
[[nodiscard]] int run_accept(const AcceptSettings& settings, Signals& signals);

}  // namespace spex::bench
