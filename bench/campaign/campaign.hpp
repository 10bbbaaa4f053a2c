// A run of a plan: entry after entry, all of its runs timed, then all of their frames compared.
#pragma once

#include <optional>
#include <string>

#include "bench/plan/plan.hpp"
#include "bench/result/thresholds.hpp"
#include "bench/run/launch.hpp"
#include "bench/run/signals.hpp"

namespace spex::bench {

struct CampaignSettings {
  std::string out;           ///< folder of the result files
  std::string data;          ///< folder of inputs and outputs
  std::string references;    ///< folder of the frames that others are compared with
  std::string golden_cases;  ///< cases.json
  LaunchSettings launch;
  bool drawn_seeds = false;  ///< of the inputs; else the plan's
  std::optional<Thresholds> thresholds;
  std::string system;  ///< its name; the host's where empty
  bool resume = false;
  bool require_gpu = false;
};

/// Runs the plan, writes OUT/ENTRY.json after every run, prints a table, and returns the exit
/// status of docs/results.md. Throws Error(usage) where the settings do not fit the machine.
[[nodiscard]] int run_campaign(const Plan& plan, const CampaignSettings& settings,
                               Signals& signals);

/// What a plan takes, an entry a line: ranks, GPUs, runs, frames, disk; as JSON where `json`.
/// Nothing is run.
[[nodiscard]] std::string list_plan(const Plan& plan, const CampaignSettings& settings, bool json);

}  // namespace spex::bench
