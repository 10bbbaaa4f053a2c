// Sizes of kernel launches.
#pragma once

namespace spex::gpu {

inline constexpr int warp_size = 32;

/// Blocks of `size` that hold `count`.
[[nodiscard]] constexpr int blocks_for(long long count, int size) {
  return static_cast<int>((count + size - 1) / size);
}

}  // namespace spex::gpu
