// The GPU as an extractor of frames; the only header that a build without CUDA has another source
// for.
#pragma once

#include <string>

#include "reference/frame/frame_job.hpp"

namespace spex::gpu {

/// Why this build cannot use a GPU here; empty where it can.
[[nodiscard]] std::string why_no_gpu();

/// What this build computes with on a GPU, as --version names it: CUDA and what batches of
/// eigendecompositions are done by.
[[nodiscard]] std::string describe_gpu_build();

/// GPUs that this process may use.
[[nodiscard]] int gpu_count();

/// The place of GPU `device` on the PCI bus, as "0000:C1:00.0". Throws Error(device).
[[nodiscard]] std::string gpu_bus_id(int device);

/// Bytes of memory that GPU `device` has in all. Throws Error(device).
[[nodiscard]] double gpu_memory(int device);

/// An extractor on GPU `device`, of its own or shared. Options' milestone chooses the engine. The
/// environment variable SPEX_GPU_POISON=1 fills device buffers with NaN first. `frames_at_once`:
/// extractors that share the GPU, each with its own memory. Throws Error(usage) where there is no
/// such device.
[[nodiscard]] PatchExtractor gpu_extractor(int device, int frames_at_once = 1);

}  // namespace spex::gpu
