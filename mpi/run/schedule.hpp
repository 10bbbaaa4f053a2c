// The schedules of an exposure, and the steps that they share.
#pragma once

#include <string>
#include <vector>

#include "mpi/run/event_log.hpp"
#include "mpi/run/exposure.hpp"
#include "mpi/run/exposure_job.hpp"
#include "mpi/run/outcomes.hpp"
#include "mpi/run/watchdog.hpp"
#include "reference/frame/frame_steps.hpp"

namespace spex::mpi {

/// A run on one rank.
struct Run {
  const Communicator& world;     ///< all ranks of the run
  const ExposureJob& job;        ///< frames and settings
  const ExtractorFactory& make;  ///< creates extractors
  EventLog& events;              ///< events of this rank
  Watchdog& watchdog;            ///< watchdog of this rank
  Outcomes& outcomes;            ///< outcomes of this rank's frames
  StageTimes& times;             ///< accumulates this rank's seconds

  /// Calls the hook before a rank begins a phase of a frame.
  void before(Phase phase, int frame) const {
    if (job.hook) job.hook(phase, job.files(frame).camera);
  }
};

/// Reports a phase of a frame (-1: no frame) to the event log and the watchdog, from construction
/// to destruction.
class PhaseScope {
 public:
  /// Begins the phase; `bundle` as in Event.
  PhaseScope(const Run& run, int frame, Phase phase, int bundle = -1)
      : timer_(run.events, frame, phase, bundle), watched_(run.watchdog, phase, frame) {}

 private:
  EventTimer timer_;
  Watchdog::Scope watched_;
};

/// Distributes frames over groups of ranks. All ranks of a group extract a frame together, except
/// that with interleave_io one rank only reads and one only writes. Collective.
void run_groups(const Run& run);

/// Distributes frames over ranks, one rank per frame. Collective.
void run_pipeline(const Run& run);

/// Reads a frame on up to `threads` threads, with timing and logging. Returns the failure, if any.
[[nodiscard]] std::optional<Failure> read_step(const Run& run, int frame, int threads,
                                               FrameInputs& inputs, StageTimes& times);
/// The form of a whole frame's spectra that suffices to write the file `output`.
[[nodiscard]] SpectraOf whole_frame(const FrameSettings& settings, const std::string& output);
/// What a rank extracts of a frame.
struct Share {
  const FrameInputs& inputs;          ///< of the frame
  const std::vector<Patch>& patches;  ///< the rank's
  SpectraOf wanted;                   ///< the form, if the extractor supports it
};
/// Extracts a rank's share of a frame.
[[nodiscard]] std::optional<Failure> extract_step(const Run& run, int frame,
                                                  const PatchExtractor& extract, const Share& share,
                                                  Extracted& extracted, StageTimes& times);
/// A frame that was read and extracted, or failed before.
struct ReadyFrame {
  int frame = 0;                   ///< its index
  std::optional<Failure> failure;  ///< of the earlier steps
  const FrameInputs& inputs;       ///< from which it was extracted
  Extracted& extracted;            ///< used up
};
/// Writes the frame on `threads` threads, unless an earlier step failed.
[[nodiscard]] FrameOutcome write_step(const Run& run, ReadyFrame ready, int threads,
                                      StageTimes& times);

}  // namespace spex::mpi
