// `spex-bench accept`: whether a machine is right and fast enough.
#pragma once

#include <optional>
#include <string>

#include "bench/campaign/campaign.hpp"

namespace spex::bench {

struct AcceptSettings {
  CampaignSettings campaign;  ///< thresholds are the target's
  std::string plan;           ///< empty: the shipped plan for the GPUs that are there
  std::optional<std::string> target, against;  ///< one of them at most
};

/// Chooses the plan for the GPUs of this machine and says what the plan takes. Runs the plan,
/// prints ACCEPT or REJECT with the reasons, and writes OUT/acceptance.md. Asks for the target on
/// a terminal where none is given; else the target is 15min. Returns 0 for ACCEPT, else
/// the exit status of the plan. Throws Error(usage) for a wrong target, Error(data) where the disk
/// is too small.
[[nodiscard]] int run_accept(const AcceptSettings& settings, Signals& signals);

}  // namespace spex::bench
