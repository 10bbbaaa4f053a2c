// One frame or many in one run, over all ranks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mpi/comm/collective.hpp"
#include "mpi/comm/environment.hpp"
#include "mpi/run/event_log.hpp"
#include "mpi/run/exposure_folders.hpp"
#include "reference/core/stage_times.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/frame/frame_job.hpp"
#include "reference/model/fields.hpp"

namespace spex::mpi {

/// Called as a rank begins a phase of a frame (read, extract, gather or write), on the thread that
/// is to do it. What it throws is that phase's failure.
using PhaseHook = std::function<void(Phase phase, const std::string& camera)>;

/// What a run is to do; the same on every rank.
struct ExposureJob {
  FrameSettings settings;                    ///< of every frame
  std::vector<FrameFiles> frames;            ///< in the order in which they are begun
  std::vector<SkippedFrame> skipped;         ///< left out of `frames`, for the run log
  Schedule schedule = Schedule::sequential;  ///< how they are dealt to the ranks
  /// Groups of ranks to which frames are dealt in turn, whole nodes where possible; the number of
  /// nodes where absent. Not for pipeline.
  std::optional<int> groups;
  int readers = 2;     ///< threads of a rank, for pipeline
  int extractors = 1;  ///< threads of a rank that each extract a frame, for pipeline
  int writers = 2;     ///< threads of a rank, for pipeline
  /// Devices that a rank's extractors take in turn, extractor k number k modulo this: those of one
  /// are lost together. Each has its own where absent.
  std::optional<int> devices;
  std::optional<int> frames_in_flight;  ///< of a rank; one for each of those threads where absent
  std::optional<std::string> events;    ///< run log to write
  /// A line on stderr as each frame fails; otherwise its outcome alone tells.
  bool reports_failures = true;
  PhaseHook hook;  ///< of this rank, for tests of faults and of order; none where empty

  /// The files of one frame.
  [[nodiscard]] const FrameFiles& files(int frame) const { return frames.at(frame); }
  /// The job of one frame.
  [[nodiscard]] FrameJob frame_job(int frame) const { return {files(frame), settings}; }
};

/// Makes an extractor; `slot` counts those of a rank from 0. Called on the thread that will use the
/// extractor, and only on ranks that extract.
using ExtractorFactory = std::function<PatchExtractor(int slot)>;

/// What stands at a frame's output when the run is over.
enum class OutputState {
  none,     ///< no file
  earlier,  ///< what was there before the run, untouched
  written,  ///< the frame, complete
};

/// "none", "earlier", "written"
[[nodiscard]] const char* to_string(OutputState state);

/// How one frame ended.
struct FrameOutcome {
  int frame = 0;                           ///< index in ExposureJob::frames
  PatchCounts counts;                      ///< how its patches ended
  OutputState output = OutputState::none;  ///< what stands at its output now
  std::optional<Failure> failure;          ///< nothing where its output was written
};

/// All fields of a FrameOutcome.
template <MaybeConst<FrameOutcome> T>
auto fields(T& outcome) {
  auto& [frame, counts, output, failure] = outcome;
  return std::tie(frame, counts, output, failure);
}

/// How a run ended.
struct ExposureSummary {
  int failed = 0;                      ///< frames, on every rank
  std::vector<FrameOutcome> outcomes;  ///< of all frames in their order, on rank 0
  StageTimes times;                    ///< seconds of all threads of all ranks, on rank 0
};

/// Extracts all frames. The output of a frame is the same, to the byte, for any number of ranks and
/// threads and any schedule. A frame that cannot be read, extracted or written has a failed
/// outcome, which names the rank that failed unless it is rank 0; the others are complete. A
/// frame's output replaces an older file of its name when it is complete, and not before: where the
/// frame fails, that file stays, and the outcome says so.
///
/// Throws the same CollectiveError on every rank where the job is impossible or an extractor cannot
/// be made, and another exception on one rank where the others cannot be told (run_on_ranks then
/// ends them). Collective.
[[nodiscard]] ExposureSummary run_exposure(const Communicator& world, const ExposureJob& job,
                                           const ExtractorFactory& make);

/// The same of one frame, by all ranks as one group: its failure is thrown, as the same
/// CollectiveError on every rank. `events`: the run log to write, if any, with an empty name of the
/// frame's camera where the job does not say it.
ExposureSummary run_one_frame(const Communicator& world, const FrameJob& job,
                              const ExtractorFactory& make, const PhaseHook& hook = {},
                              const std::optional<std::string>& events = std::nullopt);

}  // namespace spex::mpi
