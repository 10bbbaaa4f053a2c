// What the kernels of the GPU can do, without CUDA: the roofline counts by the same limits.
#pragma once

namespace spex::gpu {

/// Largest block, in bins, whose root find_roots can take in shared memory.
inline constexpr int largest_root = 80;
/// Largest block of the band that find_roots can work with.
inline constexpr int largest_root_band = 80;

}  // namespace spex::gpu
