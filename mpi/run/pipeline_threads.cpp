#include "mpi/run/pipeline_threads.hpp"

#include <algorithm>

namespace spex::mpi {
namespace {

// Bytes of GPU memory per extractor, with room for frames larger than DESI's.
constexpr double memory_of_extractor = 10e9;
// More threads would wait for each other to write the same file.
constexpr int max_write_threads = 4;

// Bytes: a GPU of less memory has none to spare beside its extractors.
constexpr double min_memory_of_inflater = 39e9;
// Fewer frames are read before a GPU has memory to inflate them.
constexpr std::size_t min_frames_of_inflater = 5;

using namespace pipeline_bounds;

bool some_image_ends_with(const std::vector<FrameFiles>& frames, const char* ending) {
  return std::ranges::any_of(
      frames, [&](const FrameFiles& files) { return files.input.ends_with(ending); });
}

int extractors_of(const PipelineLoad& load) {
  const auto fit = static_cast<int>(std::min(load.device_memory / memory_of_extractor, 1e3));
  const auto frames = static_cast<int>(std::min<std::size_t>(load.frames, 1000));
  const int of_device =
      std::min({max_extractors_of_device, fit, (frames + load.devices - 1) / load.devices});
  return std::max(1, of_device) * load.devices;
}

}  // namespace

bool inflates_by_default(const PipelineLoad& load) {
  return load.gzip_inputs && load.frames >= min_frames_of_inflater &&
         load.device_memory >= min_memory_of_inflater;
}

PipelineThreads pipeline_threads(const PipelineLoad& load) {
  const int half = std::max(1, load.cpus / 2);
  PipelineThreads threads;
  threads.extractors = extractors_of(load);
  // Decompression takes most of the CPU time of a frame that a CPU unpacks.
  const bool cpus_unpack = load.tiled_inputs || (load.gzip_inputs && !load.gpus_inflate);
  const int most = load.gpus_inflate ? max_readers_of_inflater : max_plain_readers;
  threads.readers = cpus_unpack ? load.cpus : std::min(half, most * load.devices);
  threads.writers = std::min(half, max_plain_writers * load.devices);
  threads.write_threads =
      std::clamp(2 * load.cpus / std::max(1, threads.writers), 1, max_write_threads);
  threads.frames_in_flight = threads.readers + threads.extractors + threads.writers;
  threads.devices = load.devices;
  threads.devices_inflate = load.gpus_inflate;
  return threads;
}

int read_threads_of_frame(int threads, std::size_t sharing) {
  const auto all = static_cast<std::size_t>(threads);
  return static_cast<int>(std::max<std::size_t>(1, all / sharing));
}

PipelineLoad load_of(const std::vector<FrameFiles>& frames, int ranks) {
  PipelineLoad load;
  const auto count = static_cast<std::size_t>(std::max(ranks, 1));
  load.frames = (frames.size() + count - 1) / count;
  load.gzip_inputs = some_image_ends_with(frames, ".gz");
  load.tiled_inputs = some_image_ends_with(frames, ".fz");
  return load;
}

}  // namespace spex::mpi
