// Compares the frames of an entry's runs after all of them are timed.
#pragma once

#include "bench/campaign/entry_run.hpp"
#include "bench/check/references.hpp"

namespace spex::bench {

/// Makes the references and truths of pending runs, compares their frames, and removes all of these
/// files.
class RunComparer {
 public:
  /// `reference` may be null; frames are then compared only with the truth.
  RunComparer(const CampaignFolders& folders, Exposures& exposures, References references,
              const Reference* reference);

  /// Throws Interrupted, and Error(data) if truths or references cannot be made. The remaining runs
  /// stay pending.
  void compare(EntryRun& run);

  /// Makes those runs of a resumed result pending whose frames were not compared and still exist.
  /// Drops runs whose files are gone, and all later ones.
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
