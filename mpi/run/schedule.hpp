// What the schedules of an exposure share, and the schedules.
#pragma once

#include <string>
#include <vector>

#include "mpi/run/event_log.hpp"
#include "mpi/run/exposure.hpp"
#include "mpi/run/outcomes.hpp"
#include "mpi/run/watchdog.hpp"
#include "reference/frame/frame_steps.hpp"

namespace spex::mpi {

/// A run on one rank.
struct Run {
  const Communicator& world;     ///< all ranks of the run
  const ExposureJob& job;        ///< frames and settings
  const ExtractorFactory& make;  ///< makes what extracts the patches
  EventLog& events;              ///< of this rank
  Watchdog& watchdog;            ///< of this rank
  Outcomes& outcomes;            ///< of the frames that this rank has ended
  StageTimes& times;             ///< gains this rank's seconds

  /// Before a rank begins a phase of a frame.
  void before(Phase phase, int frame) const {
    if (job.hook) job.hook(phase, job.files(frame).camera);
  }
};

/// A phase of a frame (-1: of none), from construction to destruction, for the log and the
/// watchdog.
class PhaseScope {
 public:
  /// The phase begins now; `bundle` as in Event.
  PhaseScope(const Run& run, int frame, Phase phase, int bundle = -1)
      : timer_(run.events, frame, phase, bundle), watched_(run.watchdog, phase, frame) {}

 private:
  EventTimer timer_;
  Watchdog::Scope watched_;
};

/// Frames over groups of ranks, each frame by all ranks of a group; one rank reads and one writes,
/// which extract too (sequential) or do not (interleave_io). Collective.
void run_groups(const Run& run);

/// Frames over ranks, each frame by one. Collective.
void run_pipeline(const Run& run);

/// The steps of one frame, timed and logged; what failed, if anything did.
[[nodiscard]] std::optional<Failure> read_step(const Run& run, int frame, FrameInputs& inputs,
                                               StageTimes& times);
/// The form of a whole frame's spectra that is enough for its file, `output`.
[[nodiscard]] SpectraOf whole_frame(const FrameSettings& settings, const std::string& output);
/// Extracts `patches`, in the form that is wanted if the extractor has it so.
[[nodiscard]] std::optional<Failure> extract_step(
    const Run& run, int frame, const PatchExtractor& extract, const FrameInputs& inputs,
    const std::vector<Patch>& patches, SpectraOf wanted, Extracted& extracted, StageTimes& times);
/// Writes the frame on `threads` threads, unless a step before it has failed.
[[nodiscard]] FrameOutcome write_step(const Run& run, int frame, int threads,
                                      std::optional<Failure> failure, const FrameInputs& inputs,
                                      Extracted& extracted, StageTimes& times);

}  // namespace spex::mpi
