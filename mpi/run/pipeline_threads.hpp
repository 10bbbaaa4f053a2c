// How many threads of each kind a rank's pipeline has, from what they have to do.
#pragma once

#include <cstddef>
#include <vector>

#include "reference/frame/frame_job.hpp"

namespace spex::mpi {

/// What a rank's pipeline has to do, and with what.
struct PipelineLoad {
  int cpus = 1;                 ///< that the rank may use
  int devices = 1;              ///< GPUs of the rank
  std::size_t frames = 1;       ///< of the rank
  bool packed_inputs = false;   ///< some images are .gz or .fz
  double device_memory = 1e12;  ///< bytes of the GPU that has least
};

/// Threads of a rank's pipeline.
struct PipelineThreads {
  int readers = 1;           ///< each reads a frame at a time
  int extractors = 1;        ///< each extracts a frame at a time
  int writers = 1;           ///< each writes a frame at a time
  int write_threads = 1;     ///< of one frame that is written, at most
  int frames_in_flight = 1;  ///< frames in memory, which bounds the memory of all queues
};

/// Readers and writers in proportion to the CPU time of their files, plain or packed; five
/// extractors a GPU, or fewer where its memory or the number of frames asks for fewer.
[[nodiscard]] PipelineThreads pipeline_threads(const PipelineLoad& load);

/// The load of `frames` frames of one rank; CPUs and GPUs are the caller's to add.
[[nodiscard]] PipelineLoad load_of(const std::vector<FrameFiles>& frames, int ranks);

}  // namespace spex::mpi
