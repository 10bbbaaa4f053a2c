// The runs of an entry, made and timed; what they leave is compared later (compare_runs.hpp).
#pragma once

#include <map>
#include <string>
#include <utility>

#include "bench/campaign/entry_run.hpp"
#include "bench/machine/machine.hpp"
#include "bench/run/observed_run.hpp"

namespace spex::bench {

/// Makes runs of entries. For each: simulates its inputs, runs, and takes the hash of every frame.
/// Frames of a long run are looked at and removed while the run goes on (check/output_collector).
class TimedRuns {
 public:
  TimedRuns(const CampaignFolders& folders, Exposures& exposures, Runner& runner,
            const Machine& machine, const Nvml& nvml, double time_limit_s);

  /// Makes the next run of an entry; false where it was interrupted. Throws Error where its inputs
  /// cannot be made or it cannot be started, and Interrupted.
  bool make(EntryRun& run);

 private:
  /// Those that the next run works on.
  [[nodiscard]] std::vector<Exposure> exposures_of(const EntryRun& run);
  const Exposure& shared(const Case& one, int number);
  [[nodiscard]] ObservedRun observe(EntryRun& run, const RunRequest& request);
  [[nodiscard]] ObservedRun observe_long_run(EntryRun& run, const RunRequest& request,
                                             const std::vector<std::string>& outputs,
                                             std::vector<std::string>& kept);
  /// Adds the sample; what the run left is pending where it did not fail.
  void take(EntryRun& run, ObservedRun observed, PendingRun pending);
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
