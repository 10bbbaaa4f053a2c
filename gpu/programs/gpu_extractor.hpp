// The GPU as an extractor of frames; the only header that a build without CUDA has another source
// for.
#pragma once

#include <optional>
#include <string>

#include "mpi/extract_frame.hpp"

namespace spex::gpu {

/// Exit status where there is no GPU (results.md).
inline constexpr int status_no_gpu = 77;

/// Why this build cannot use a GPU here; empty where it can.
[[nodiscard]] std::string why_no_gpu();

/// The extractor of one rank, with a GPU of its own or shared: `device` where given, else by the
/// rank's number within its node. Options' milestone chooses the engine. The environment variable
/// SPEX_GPU_POISON=1 fills device buffers with NaN first. Throws Error(usage) where there is no
/// such device.
[[nodiscard]] mpi::PatchExtractor gpu_extractor(std::optional<int> device, int local_rank);

}  // namespace spex::gpu
