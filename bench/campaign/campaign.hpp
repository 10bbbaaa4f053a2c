// What is done with a plan: run, listed, run as a test of the installation, run again.
#pragma once

#include <string>
#include <vector>

#include "bench/plan/plan.hpp"
#include "bench/result/thresholds.hpp"
#include "bench/run/launch.hpp"
#include "bench/run/signals.hpp"

namespace spex::bench {

struct CampaignSettings {
  std::string out;         ///< folder of the result files
  std::string data;        ///< folder of inputs and outputs
  std::string references;  ///< folder of the frames that others are compared with
  std::string golden_cases = shipped_golden_cases();  ///< cases.json
  LaunchSettings launch;
  bool drawn_seeds = false;  ///< of the inputs; else the plan's
  Thresholds thresholds;
  std::string system;  ///< its name; the host's where empty
  bool resume = false;
  bool require_gpu = false;
};

/// Folders of data and references that were not named lie in `out`.
void fill_folders(CampaignSettings& settings);

/// Runs the plan, entry after entry: all runs of an entry are timed, then all of their frames are
/// compared. Writes OUT/ENTRY.json after every run, prints a table, and returns the exit status of
/// docs/results.md. Throws Error(usage) where the settings do not fit the machine.
[[nodiscard]] int run_campaign(const Plan& plan, const CampaignSettings& settings,
                               Signals& signals);

struct Cost {
  double seconds = 0;     ///< of the whole plan, inputs and reference frames included
  double disk_bytes = 0;  ///< the most that lies in the data folder at once
};

/// About what the plan takes on this machine. Seconds come from rates measured on a Xeon of 16
/// cores and an H200 (docs/performance.md): expect a factor of two on other machines.
[[nodiscard]] Cost estimate(const Plan& plan, const Machine& machine, bool drawn_seeds);

/// What a plan takes, an entry a line: ranks, GPUs, runs, frames, disk; as JSON where `json`.
/// Nothing is run.
[[nodiscard]] std::string list_plan(const Plan& plan, const CampaignSettings& settings, bool json);

/// Runs the shipped golden cases, by each method and milestone that can run here, and the plan ci.
/// Of the settings takes `out`, `launch` and `require_gpu`; without `out` the results are removed.
/// Prints a line for each, which begins with pass, FAIL or skip, and the plan's table. Returns an
/// exit status of docs/results.md. Throws Error where the installation lacks files.
[[nodiscard]] int run_self_test(const CampaignSettings& settings, Signals& signals);

struct RerunSettings {
  std::string archive;
  std::string source = ".";  ///< a clone of the repository, which has the archive's commit
  std::string programs;      ///< folder of programs that were built of it already; else it is built
  std::string out;           ///< folder of the new results, and of the build
  std::vector<std::string> words;  ///< more words for spex-bench
};

/// Builds the archive's commit, spex-bench and extractor, runs its plan on this machine with drawn
/// seeds, and prints whether the archive's times lie within the intervals of the new ones. The
/// exit status: 0 all do, 3 a frame of the rerun is wrong, 4 the archive claims more than the
/// rerun, 6 it claims less, or too few runs to say, 1 something could not be run. Throws Error.
[[nodiscard]] int rerun_archive(const RerunSettings& settings, Signals& signals);

}  // namespace spex::bench
