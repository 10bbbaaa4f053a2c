// The frames of an entry's runs, compared when all of them are timed.
#pragma once

#include "bench/campaign/entry_run.hpp"
#include "bench/check/references.hpp"

namespace spex::bench {

/// Makes what the frames of pending runs are compared with, compares them, and removes all of it.
class RunComparer {
 public:
  /// `reference` may be null: frames are then compared with the truth alone.
  RunComparer(const CampaignFolders& folders, Exposures& exposures, References references,
              const Reference* reference);

  /// Throws Error(data) where truths or references cannot be made, and Interrupted; the runs that
  /// are left stay pending.
  void compare(EntryRun& run);

  /// Runs of a result that was resumed, whose frames were not compared yet and are still there,
  /// become pending. Those whose files are gone, and all after them, are dropped.
  void find_pending(EntryRun& run) const;

 private:
  void compare(EntryRun& run, const PendingRun& pending);
  void compare(EntryRun& run, Sample& sample, const ExposureOutputs& outputs);

  const CampaignFolders& folders_;
  Exposures& exposures_;
  References references_;
  const Reference* reference_;
};

}  // namespace spex::bench
