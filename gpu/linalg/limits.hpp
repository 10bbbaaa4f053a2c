// Limits of the linear algebra kernels, without CUDA: engines check them before launches, and the
// roofline model uses them.
#pragma once

#include <cstddef>

#include "reference/core/count.hpp"
#include "reference/core/host_device.hpp"

namespace spex::gpu {

/// Largest block, in bins, whose root can be computed in shared memory.
inline constexpr int largest_root = 80;
/// Largest block of a band that fits in shared memory.
inline constexpr int largest_root_band = 80;

/// Shared memory per block on an A100, the smallest supported GPU; Hopper has 227 KB.
inline constexpr std::size_t smallest_shared_memory = 163 << 10;

/// The next multiple of 8, the side of a tensor core's fragment.
[[nodiscard]] constexpr int round_up_8(int size) {
  return (size + 7) / 8 * 8;
}

/// Bytes of a step that the threads of factor_band exchange.
inline constexpr std::size_t factor_step_bytes = 4 << 10;
/// Bytes of shared memory of factor_band for blocks of `size` rows: three blocks, two vectors, and
/// a step.
[[nodiscard]] constexpr std::size_t factor_bytes(int size) {
  const std::size_t size8 = round_up_8(size);
  return sizeof(double) * (3 * size8 * (size8 + 4) + 2 * size8) + factor_step_bytes;
}

/// Column stride in find_jacobi_roots, chosen so that neighboring columns use different halves of
/// the banks.
[[nodiscard]] SPEX_HD constexpr int jacobi_roots_leading(int m) {
  return (m + 7) / 16 * 16 + 8;
}
/// Bytes of shared memory of find_jacobi_roots for matrices of order m.
[[nodiscard]] constexpr std::size_t jacobi_roots_bytes(int m) {
  return sizeof(double) * count_of(m, jacobi_roots_leading(m));
}

// The largest compiled sizes must fit every supported GPU.
static_assert(factor_bytes(largest_root_band) <= smallest_shared_memory);
static_assert(jacobi_roots_bytes(largest_root) <= smallest_shared_memory);

}  // namespace spex::gpu
