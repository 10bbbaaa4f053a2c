// A run of a plan: its entries in turn, round after round, each run timed, then validated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/campaign/plan.hpp"
#include "bench/campaign/verdict.hpp"
#include "bench/correctness/seeds.hpp"
#include "bench/measure/launch.hpp"
#include "bench/measure/signals.hpp"

namespace spex::bench {

struct CampaignSettings {
  std::string out;           ///< folder of the result files
  std::string data;          ///< folder of inputs and outputs
  std::string references;    ///< folder of the frames that others are held to
  std::string golden_cases;  ///< cases.json
  LaunchSettings launch;
  SeedSource seeds = SeedSource::plan;  ///< of the inputs
  std::optional<Thresholds> thresholds;
  std::string system;  ///< its name; the host's where empty
  bool resume = false;
  bool require_gpu = false;
};

/// Where a campaign keeps, below --out, what a submission needs besides results: the plan as it is,
/// and the key of the seals.
[[nodiscard]] std::string kept_plan_path(const std::string& out);
[[nodiscard]] std::string kept_key_path(const std::string& out);

/// Runs the plan, writes OUT/ENTRY.json after every run, prints a table, and returns the exit
/// status of docs/results.md. Throws Error(usage) where the settings do not fit the machine.
[[nodiscard]] int run_campaign(const Plan& plan, const CampaignSettings& settings,
                               Signals& signals);

}  // namespace spex::bench
