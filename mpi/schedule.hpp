// What the schedules of an exposure share, and the schedules.
#pragma once

#include <vector>

#include "mpi/event_log.hpp"
#include "mpi/exposure.hpp"
#include "mpi/frame_steps.hpp"
#include "mpi/outcomes.hpp"
#include "mpi/test_hooks.hpp"

namespace spex::mpi {

/// A run on one rank.
struct Run {
  const Communicator& world;
  const ExposureJob& job;
  const ExtractorFactory& make;
  const TestHooks& hooks;
  EventLog& events;
  Outcomes& outcomes;
  StageTimes& times;  ///< gains this rank's seconds
};

/// Frames over groups of ranks, each frame by all ranks of a group; one rank reads and one writes,
/// which extract too (sequential) or do not (interleave_io). Collective.
void run_groups(const Run& run);

/// Frames over ranks, each frame by one. Collective.
void run_pipeline(const Run& run);

/// The steps of one frame, timed, logged, with the test hooks; what failed, if anything did.
[[nodiscard]] std::optional<Failure> read_step(const Run& run, int frame, FrameInputs& inputs,
                                               StageTimes& times);
[[nodiscard]] std::optional<Failure> extract_step(
    const Run& run, int frame, const PatchExtractor& extract, const FrameInputs& inputs,
    const std::vector<Patch>& patches, std::vector<PatchResult>& results, StageTimes& times);
[[nodiscard]] FrameOutcome write_step(const Run& run, int frame, std::optional<Failure> failure,
                                      const FrameInputs& inputs,
                                      const std::vector<PatchResult>& results, StageTimes& times);

}  // namespace spex::mpi
