// Long runs: how many frames they take, and what is kept of them.
#pragma once

#include "bench/campaign/entry_run.hpp"
#include "bench/check/output_collector.hpp"

namespace spex::bench {

/// Number of frames of the next run of an entry with `sustain`. The first warm-up has one exposure.
/// If a duration is requested, the second warm-up measures the rate, which sets the number of
/// frames of the run. If that run was too short, its own rate sets the number of its repetition.
[[nodiscard]] int next_frame_count(const EntryRun& run);

/// Summary of a long run over `inputs` distinct inputs.
[[nodiscard]] LongRun long_run_of(const CollectedFrames& collected, int inputs);

}  // namespace spex::bench
