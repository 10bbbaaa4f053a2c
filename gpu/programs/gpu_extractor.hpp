// The GPU extractor of frames. Builds without CUDA implement this header by no_gpu_extractor.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "reference/core/memory/large_blocks.hpp"
#include "reference/core/tokens.hpp"
#include "reference/fits/read/whole_inflater.hpp"
#include "reference/frame/patch_extractor.hpp"

namespace spex::gpu {

/// The reason why this build cannot use a GPU here; empty if it can.
[[nodiscard]] std::string why_no_gpu();

/// A description for --version: CUDA and the solver for batches of eigendecompositions.
[[nodiscard]] std::string describe_gpu_build();

/// The number of GPUs that this process may use.
[[nodiscard]] int gpu_count();

/// The PCI address of GPU `device`, such as "0000:C1:00.0". Throws Error(device).
[[nodiscard]] std::string gpu_bus_id(int device);

/// The total memory of GPU `device`, bytes. Throws Error(device).
[[nodiscard]] double gpu_memory(int device);

/// Pins host memory that begins at an address, by a pinner, until it is freed; false if it cannot.
using PinHostMemory =
    std::function<bool(const void* memory, const std::shared_ptr<Pinner>& pinner, PinBlocks which)>;

/// How extractors share a GPU, each with its own memory.
struct GpuShare {
  int extractors = 1;
  /// A token for each frame that may be computed at a time. nullptr: all compute at once.
  std::shared_ptr<Tokens> turns = {};
};

/// An extractor on GPU `device`. The milestone in the options selects the engine. The environment
/// variable SPEX_GPU_POISON=1 first fills device buffers with NaN. Frames and spectra are sent
/// from and to memory that `pin` has pinned; without it, through small pinned pieces. Throws
/// Error(usage) if there is no such device.
[[nodiscard]] PatchExtractor gpu_extractor(int device, const GpuShare& share = {},
                                           const PinHostMemory& pin = {});

/// An inflater of gzip files on GPU `device`, whose memory `pin` pins. It takes memory of the GPU
/// when files need it; without memory the caller inflates them.
[[nodiscard]] std::unique_ptr<WholeInflater> gpu_inflater(int device, const PinHostMemory& pin);

}  // namespace spex::gpu
