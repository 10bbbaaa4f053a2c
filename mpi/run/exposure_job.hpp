// What a run extracts, and how.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mpi/run/exposure.hpp"
#include "mpi/run/exposure_folders.hpp"
#include "mpi/run/pipeline_threads.hpp"
#include "reference/frame/frame_job.hpp"

namespace spex::mpi {

/// The job of a run; the same on every rank.
struct ExposureJob {
  FrameSettings settings;                    ///< settings for all frames
  std::vector<FrameFiles> frames;            ///< frames, in the order of work
  std::vector<SkippedFrame> skipped;         ///< skipped frames, for the run log
  Schedule schedule = Schedule::sequential;  ///< schedule of frames over ranks
  /// Number of groups of ranks, which take frames in turn; groups are whole nodes where possible.
  /// Default: the number of nodes. Not for pipeline.
  std::optional<int> groups;
  int readers = 2;             ///< reading threads per rank, for pipeline
  int extractors = 1;          ///< extracting threads per rank, one frame each, for pipeline
  int writers = 2;             ///< writing threads per rank, for pipeline
  std::optional<int> devices;  ///< per rank (PipelineThreads), for pipeline
  std::optional<int> frames_in_flight;  ///< per rank; default: one per thread
  /// Finds the devices of this rank, and returns the threads that they need; for pipeline, may be
  /// empty. Called when the readers above have begun, because a driver starts slowly. The readers
  /// and the frames in flight may only become more. Collective.
  std::function<PipelineThreads()> find_devices;
  std::optional<std::string> events;  ///< run log to write
  /// Whether to report each failed frame on stderr at once.
  bool reports_failures = true;
  PhaseHook hook;  ///< for tests of faults and order; may be empty

  /// The files of a frame.
  [[nodiscard]] const FrameFiles& files(int frame) const { return frames.at(frame); }
  /// The job of a frame.
  [[nodiscard]] FrameJob frame_job(int frame) const { return {files(frame), settings}; }
};

}  // namespace spex::mpi
