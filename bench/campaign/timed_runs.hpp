// Makes and times the runs of an entry; compare_runs.hpp compares their frames later.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "bench/campaign/entry_run.hpp"
#include "bench/machine/machine.hpp"
#include "bench/run/observed_run.hpp"

namespace spex::bench {

/// Makes runs of entries: for each, simulates its inputs, runs it, and hashes every frame. Frames
/// of a long run are inspected and removed during the run (check/output_collector).
class TimedRuns {
 public:
  TimedRuns(const CampaignFolders& folders, Exposures& exposures, Runner& runner,
            const Machine& machine, const Nvml& nvml, double time_limit_s);

  /// Makes the next run of an entry; false if it was interrupted. Throws Interrupted, and Error if
  /// the inputs cannot be made or the run cannot be started.
  bool run_next(EntryRun& run);

 private:
  /// The inputs of the next run.
  [[nodiscard]] std::vector<Exposure> exposures_of(const EntryRun& run);
  /// Exposure `number` of the case, made once for all runs.
  const Exposure& shared_exposure(const Case& plan_case, int number);
  [[nodiscard]] ObservedRun observe(EntryRun& run, const RunRequest& request);
  [[nodiscard]] ObservedRun observe_long_run(EntryRun& run, RunRequest request,
                                             const std::vector<std::string>& outputs,
                                             std::vector<std::string>& kept);
  /// Adds the sample. If the run did not fail, its outputs become pending.
  void add_sample(EntryRun& run, ObservedRun observed, PendingRun pending);
  void keep_run_log(EntryRun& run) const;

  const CampaignFolders& folders_;
  Exposures& exposures_;
  Runner& runner_;
  const Machine& machine_;
  const Nvml& nvml_;
  double time_limit_s_;
  std::map<std::pair<std::string, int>, Exposure> shared_;  // by case and number
};

}  // namespace spex::bench
