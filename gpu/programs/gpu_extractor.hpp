// The GPU as an extractor of frames; the only header that a build without CUDA has another source
// for.
#pragma once

#include <string>

#include "reference/frame/frame_job.hpp"

namespace spex::gpu {

/// Why this build cannot use a GPU here; empty where it can.
[[nodiscard]] std::string why_no_gpu();

/// GPUs that this process may use.
[[nodiscard]] int gpu_count();

/// An extractor on GPU `device`, of its own or shared. Options' milestone chooses the engine. The
/// environment variable SPEX_GPU_POISON=1 fills device buffers with NaN first. Throws Error(usage)
/// where there is no such device.
[[nodiscard]] PatchExtractor gpu_extractor(int device);

}  // namespace spex::gpu
