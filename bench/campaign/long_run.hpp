// The length of long runs: exposures one after another without a pause, as in a night
// (docs/benchmark.md).
#pragma once

#include "bench/campaign/entry_run.hpp"
#include "bench/check/output_collector.hpp"

namespace spex::bench {

/// Frames of the next run of an entry with `sustain`. The first warm-up is of an exposure; a second
/// one, where a time is asked for, is as long as the rate needs to be known, and the run so long as
/// is asked for by that rate.
[[nodiscard]] int frames_of_next(const EntryRun& run);

/// What a result says of a long run over `inputs` distinct inputs.
[[nodiscard]] LongRun long_run_of(const CollectedFrames& collected, int inputs);

}  // namespace spex::bench
