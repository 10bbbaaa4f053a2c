// Many frames in one run: an exposure, over all ranks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mpi/environment.hpp"
#include "mpi/extract_frame.hpp"
#include "mpi/failure.hpp"

namespace spex::mpi {

/// How reading, extracting and writing of the frames follow each other. Outputs are the same bytes.
enum class Schedule {
  sequential,     ///< each group of ranks reads, extracts and writes a frame after the other
  interleave_io,  ///< in each group one rank reads, one writes, and the others extract
  pipeline,       ///< each rank is a group, whose threads read, extract and write
};

[[nodiscard]] std::string to_string(Schedule schedule);

/// The files of one frame.
struct FrameFiles {
  std::string camera;  ///< "b0" ...; the input must be of this camera
  std::string input;
  std::string psf;
  std::string output;
};

struct ExposureJob {
  FrameJob settings;  ///< of every frame; its camera and files are not used
  std::vector<FrameFiles> frames;
  Schedule schedule = Schedule::sequential;
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
  int frame = 0;  ///< index in ExposureJob::frames
  PatchCounts counts;
  std::optional<Failure> failure;
};

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
