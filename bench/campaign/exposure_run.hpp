// A run of an exposure, timed and then validated.
#pragma once

#include <optional>

#include "bench/campaign/folders.hpp"
#include "bench/campaign/inputs.hpp"
#include "bench/campaign/watched_run.hpp"

namespace spex::bench {

/// Makes the next run of an entry that is no long run, and looks at its frames
/// (`EntryRun::validation`). Its sample; nothing where it was interrupted.
[[nodiscard]] std::optional<Sample> measure_exposure(EntryRun& run, const Plan& plan,
                                                     const CampaignFolders& folders,
                                                     CampaignInputs& inputs, RunWatcher& watcher);

}  // namespace spex::bench
