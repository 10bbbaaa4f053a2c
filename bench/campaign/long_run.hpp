// A run of many exposures, whose frames are looked at and removed while it goes on.
#pragma once

#include <optional>
#include <string>

#include "bench/campaign/folders.hpp"
#include "bench/campaign/inputs.hpp"
#include "bench/campaign/watched_run.hpp"

namespace spex::bench {

/// Makes the next run of an entry with `sustain`, as long as its warm-ups tell, looks at its frames
/// (`EntryRun::validation`), and writes how the machine was over it (`run_id` names the campaign's
/// results). Its sample; nothing where it was interrupted.
[[nodiscard]] std::optional<Sample> measure_long_run(EntryRun& run, const Plan& plan,
                                                     const std::string& run_id,
                                                     const Machine& machine, const Nvml& nvml,
                                                     const CampaignFolders& folders,
                                                     CampaignInputs& inputs, RunWatcher& watcher);

}  // namespace spex::bench
