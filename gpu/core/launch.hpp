// Kernel launch dimensions.
#pragma once

#include <cstddef>

namespace spex::gpu {

inline constexpr int warp_size = 32;

/// The number of blocks of `size` threads that hold `count` threads.
[[nodiscard]] constexpr int blocks_for(long long count, int size) {
  return static_cast<int>((count + size - 1) / size);
}

/// Maximal shared memory per block on the current device, static part included, bytes.
[[nodiscard]] std::size_t max_shared_memory();

/// Allows `kernel` to use the maximal dynamic shared memory of the current device. Always the
/// maximum: the limit belongs to the kernel for all threads and streams, so that a smaller limit
/// could be set between another thread's call and its launch.
void allow_shared_memory(const void* kernel);

}  // namespace spex::gpu
