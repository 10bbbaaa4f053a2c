// Computes the numbers of threads of a rank's pipeline.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "reference/frame/frame_files.hpp"

namespace spex::mpi {

/// Threads of a pipeline per GPU, at most.
namespace pipeline_bounds {
/// Frames at a time: the GPU computes some while the host transfers others.
inline constexpr int max_extractors_of_device = 4;
/// More readers and writers of plain files would wait for the GPU.
inline constexpr int max_plain_readers = 6;
/// Some readers wait for the GPU that inflates their images.
inline constexpr int max_readers_of_inflater = 8;
inline constexpr int max_plain_writers = 8;  ///< see max_plain_readers
}  // namespace pipeline_bounds

/// The work and resources of a rank's pipeline.
struct PipelineLoad {
  int cpus = 1;                 ///< CPUs that the rank may use
  int devices = 1;              ///< GPUs of the rank
  std::size_t frames = 1;       ///< frames of the rank
  bool gzip_inputs = false;     ///< whether some images are .gz
  bool tiled_inputs = false;    ///< whether some images are .fz
  bool gpus_inflate = false;    ///< whether GPUs inflate images that are .gz
  double device_memory = 1e12;  ///< bytes of its GPU with the least memory, for this rank alone
};

/// Threads of a rank's pipeline.
struct PipelineThreads {
  int readers = 1;           ///< each reads one frame at a time
  int extractors = 1;        ///< each extracts one frame at a time
  int writers = 1;           ///< each writes one frame at a time
  int write_threads = 1;     ///< maximal threads that write one frame
  int frames_in_flight = 1;  ///< limit of frames in memory, which bounds all queues
  /// Number of devices. Extractor k uses device k modulo this number; extractors of a lost device
  /// are lost together. Default: one device per extractor.
  std::optional<int> devices = std::nullopt;
  bool devices_inflate = false;  ///< whether devices inflate images
};

/// Whether GPUs inflate images by default: a few frames are read while a GPU starts, and a GPU of
/// little memory needs it for extractors.
[[nodiscard]] bool inflates_by_default(const PipelineLoad& load);

/// Readers and writers are in proportion to the CPU time of their files, plain or packed. There are
/// four extractors per GPU, or fewer if memory or the number of frames is small.
[[nodiscard]] PipelineThreads pipeline_threads(const PipelineLoad& load);

/// The threads that read one frame, if `sharing` frames, at least 1, share the rank's `threads`:
/// all for a frame alone, one each for a night's.
[[nodiscard]] int read_threads_of_frame(int threads, std::size_t sharing);

/// The load of one rank for `frames`; the caller sets CPUs and GPUs.
[[nodiscard]] PipelineLoad load_of(const std::vector<FrameFiles>& frames, int ranks);

}  // namespace spex::mpi
