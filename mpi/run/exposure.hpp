// Many frames in one run: an exposure, over all ranks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mpi/comm/collective.hpp"
#include "mpi/comm/environment.hpp"
#include "mpi/run/extract_frame.hpp"

namespace spex::mpi {

/// The files of one frame.
struct FrameFiles {
  std::string camera;  ///< "b0" ...; the input must be of this camera
  std::string input;   ///< preproc file
  std::string psf;     ///< PSF file
  std::string output;  ///< frame to write
};

/// What a run over many frames is to do; the same on every rank.
struct ExposureJob {
  FrameJob settings;                         ///< of every frame; its camera and files are not used
  std::vector<FrameFiles> frames;            ///< in the order in which they are begun
  Schedule schedule = Schedule::sequential;  ///< how they are dealt to the ranks
  /// Groups of ranks to which frames are dealt in turn, whole nodes where possible; the number of
  /// nodes where absent. Not for pipeline.
  std::optional<int> groups;
  int readers = 2;     ///< threads of a rank, for pipeline
  int extractors = 1;  ///< threads of a rank that each extract a frame, for pipeline
  int writers = 2;     ///< threads of a rank, for pipeline
  std::optional<int> frames_in_flight;  ///< of a rank; one for each of those threads where absent
  std::optional<std::string> events;    ///< run log to write

  /// The job of one frame.
  [[nodiscard]] FrameJob frame_job(int frame) const;
};

/// Makes an extractor; `slot` counts those of a rank from 0. Called on the thread that will use the
/// extractor, and only on ranks that extract.
using ExtractorFactory = std::function<PatchExtractor(int slot)>;

/// How one frame ended.
struct FrameOutcome {
  int frame = 0;                   ///< index in ExposureJob::frames
  PatchCounts counts;              ///< how its patches ended
  std::optional<Failure> failure;  ///< nothing where its output was written
};

/// How a run ended.
struct ExposureSummary {
  int failed = 0;                      ///< frames, on every rank
  std::vector<FrameOutcome> outcomes;  ///< of all frames in their order, on rank 0
  StageTimes times;                    ///< seconds of all threads of all ranks, on rank 0
};

/// Extracts all frames. A frame that cannot be read, extracted or written is a line on stderr, a
/// failed outcome, and no output (an older file of that name is removed); the others are complete.
/// Throws the same CollectiveError on every rank where the job is impossible or an extractor cannot
/// be made, and another exception on one rank where the others cannot be told (run_on_ranks then
/// ends them). Collective.
[[nodiscard]] ExposureSummary run_exposure(const Communicator& world, const ExposureJob& job,
                                           const ExtractorFactory& make);

}  // namespace spex::mpi
