// Extracts one frame or many frames in one run, over all ranks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mpi/comm/collective.hpp"
#include "mpi/comm/environment.hpp"
#include "mpi/run/event_log.hpp"
#include "reference/core/stage_times.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/frame/patch_extractor.hpp"
#include "reference/model/members.hpp"

namespace spex {
struct FrameJob;
}

namespace spex::mpi {

struct ExposureJob;

/// Called when a rank begins a phase of a frame (read, extract, gather or write), on the thread
/// that executes the phase. An exception of the hook counts as a failure of the phase.
using PhaseHook = std::function<void(Phase phase, const std::string& camera)>;

/// Creates an extractor; `slot` counts the rank's extractors from 0. Called on the thread that will
/// use the extractor, only on ranks that extract.
using ExtractorFactory = std::function<PatchExtractor(int slot)>;

/// The state of a frame's output file after the run.
enum class OutputState {
  none,     ///< no file
  earlier,  ///< an older file, unchanged
  written,  ///< the complete frame
};

/// "none", "earlier", "written"
[[nodiscard]] const char* to_string(OutputState state);

/// The outcome of one frame.
struct FrameOutcome {
  int frame = 0;                           ///< index in ExposureJob::frames
  PatchCounts counts;                      ///< patches by status
  OutputState output = OutputState::none;  ///< state of the output file
  std::optional<Failure> failure;          ///< set unless the output was written

  SPEX_MEMBERS(frame, counts, output, failure)
};

/// The outcome of a run.
struct ExposureSummary {
  int failed = 0;                      ///< failed frames, on every rank
  std::vector<FrameOutcome> outcomes;  ///< outcomes of all frames in order, on rank 0
  StageTimes times;                    ///< seconds of all threads of all ranks, on rank 0
};

/// Extracts all frames. Outputs are byte-identical for any number of ranks and threads and any
/// schedule. If a frame cannot be read, extracted or written, its outcome is a failure, which names
/// the failing rank unless it is rank 0; other frames are not affected. A frame replaces an older
/// file only when it is complete; if the frame fails, the older file stays, and the outcome says
/// so.
///
/// Throws the same CollectiveError on every rank if the job is impossible or an extractor cannot be
/// created, and another exception on a single rank if the other ranks cannot be told (run_on_ranks
/// then aborts them). Collective.
[[nodiscard]] ExposureSummary run_exposure(const Communicator& world, const ExposureJob& job,
                                           const ExtractorFactory& make);

/// Extracts one frame with all ranks as one group. Throws the frame's failure as the same
/// CollectiveError on every rank. `events` is the run log to write, if any; its camera name is
/// empty if the job has none.
ExposureSummary run_one_frame(const Communicator& world, const FrameJob& job,
                              const ExtractorFactory& make, const PhaseHook& hook = {},
                              const std::optional<std::string>& events = std::nullopt);

}  // namespace spex::mpi
