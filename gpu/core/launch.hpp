// Sizes of kernel launches.
#pragma once

#include <cstddef>

namespace spex::gpu {

inline constexpr int warp_size = 32;

/// Blocks of `size` that hold `count`.
[[nodiscard]] constexpr int blocks_for(long long count, int size) {
  return static_cast<int>((count + size - 1) / size);
}

/// Bytes of shared memory that a block may have on the current device, its kernel's own included.
[[nodiscard]] std::size_t most_shared_memory();

/// Lets `kernel` be launched with as much dynamic shared memory as a block may have on the current
/// device. Always all of it: the limit belongs to the kernel, whatever the thread or stream, and a
/// smaller one, made for one launch, is set between another thread's call and its launch.
void allow_shared_memory(const void* kernel);

}  // namespace spex::gpu
