// What spex-bench does with a plan: run it, list it, test the installation, rerun an archive.
#pragma once

#include <string>
#include <vector>

#include "bench/plan/plan.hpp"
#include "bench/plan/shipped_files.hpp"
#include "bench/result/thresholds.hpp"
#include "bench/run/launch.hpp"
#include "bench/run/signals.hpp"

namespace spex::bench {

struct CampaignSettings {
  std::string out;                                    ///< folder of the result files
  std::string data;                                   ///< folder of inputs and outputs
  std::string references;                             ///< folder of reference frames
  std::string golden_cases = shipped_golden_cases();  ///< cases.json
  LaunchSettings launch;
  bool drawn_seeds = false;  ///< draw the seeds of inputs instead of taking the plan's
  Thresholds thresholds;
  std::string system;  ///< name of the machine; empty: the host name
  bool resume = false;
  bool require_gpu = false;
};

/// Sets the folders of data and references to subfolders of `out` if they are empty.
void fill_folders(CampaignSettings& settings);

/// Runs the plan entry by entry: times all runs of an entry, then compares their frames. Writes
/// OUT/ENTRY.json after every run, prints a table, and returns an exit status of docs/results.md.
/// Throws Error(usage) if the settings do not fit the machine.
[[nodiscard]] int run_campaign(const Plan& plan, const CampaignSettings& settings,
                               Signals& signals);

struct Cost {
  double seconds = 0;      ///< whole plan, with inputs and reference frames
  double max_seconds = 0;  ///< with the maximum of runs, which entries need if times scatter
  double disk_bytes = 0;   ///< that the data folder needs
};

/// Estimated cost of the plan on this machine. Seconds derive from rates measured on a Xeon with 16
/// cores and an H200 (docs/performance.md); expect a factor of two on other machines.
[[nodiscard]] Cost estimate(const Plan& plan, const Machine& machine, bool drawn_seeds);

/// Estimated bytes of one run: inputs, frames, and reference frames.
[[nodiscard]] double bytes_of_run(const Plan& plan, const Entry& entry);

/// The entries of a plan, one per line or as JSON: ranks, GPUs, runs, frames, disk. Runs nothing.
[[nodiscard]] std::string list_plan(const Plan& plan, const CampaignSettings& settings, bool json);

/// Runs the shipped golden cases with each method and milestone that can run here, and the plan ci.
/// Uses `out`, `launch` and `require_gpu` of the settings; without `out` the results are removed.
/// Prints one line per case and entry, which begins with pass, FAIL or skip, and the plan's table.
/// Returns an exit status of docs/results.md. Throws Error if the installation lacks files.
[[nodiscard]] int run_self_test(const CampaignSettings& settings, Signals& signals);

struct RerunSettings {
  std::string archive;
  std::string source = ".";  ///< a clone of the repository that has the archive's commit
  std::string programs;      ///< folder of programs built from that commit; empty: build them
  std::string out;           ///< folder of the new results and the build
  std::vector<std::string> bench_options;  ///< more options for spex-bench
};

/// Builds spex-bench and the extractor from the archive's commit, runs its plan on this machine
/// with drawn seeds, and prints whether the intervals of the archive and the rerun overlap. Exit
/// status: 0 if all overlap, 3 if a frame of the rerun is wrong, 4 if the archive is faster, 6 if
/// it is slower or there are too few runs, 1 if something could not be run. Throws Error.
[[nodiscard]] int rerun_archive(const RerunSettings& settings, Signals& signals);

}  // namespace spex::bench
