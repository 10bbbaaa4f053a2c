// What the kernels of the GPU can do, without CUDA: engines ask before they launch, and the
// roofline counts by the same limits.
#pragma once

#include <algorithm>
#include <cstddef>

#include "reference/core/count.hpp"

namespace spex::gpu {

/// Largest block, in bins, whose root find_roots can take in shared memory.
inline constexpr int largest_root = 80;
/// Largest block of the band that find_roots can work with.
inline constexpr int largest_root_band = 80;
/// Largest reach, and most bins of a spectrum, of the engine that works spectrum by spectrum.
inline constexpr int largest_fiber_reach = 12;
inline constexpr int largest_fiber_bins = 80;
/// Most patches of one launch: what the second dimension of a grid can count.
inline constexpr int most_patches_of_launch = 65535;

/// The next multiple of 8, the side of a tensor core's fragment.
[[nodiscard]] constexpr int round_up_8(int size) {
  return (size + 7) / 8 * 8;
}

/// Order to which find_roots pads blocks of m bins: tiles of 16 x 16, and 32 at least.
[[nodiscard]] constexpr int padded_root(int m) {
  return std::max(32, (m + 15) / 16 * 16);
}

/// Bytes of shared memory that a block of assemble_band needs, for patches of at most `nslots`
/// padded fibers and spots of nx x ny pixels.
[[nodiscard]] constexpr std::size_t assemble_bytes(int nslots, int nx, int ny) {
  return sizeof(double) * count_of(nslots, nx, ny);
}

/// Of solve_fibers, for patches of at most `nslots` padded fibers of `nwave` bins: f, and what a
/// sweep makes of it; the factors too where there is room. The other kernels of that engine take as
/// much as any spectrum of largest_fiber_bins needs.
[[nodiscard]] constexpr std::size_t solve_fibers_bytes(int nslots, int nwave) {
  return sizeof(double) * count_of(2, nslots, nwave);
}

/// Of factor_band, for blocks of `size` rows: three blocks, and two vectors.
[[nodiscard]] constexpr std::size_t factor_bytes(int size) {
  const std::size_t size8 = round_up_8(size);
  return sizeof(double) * (3 * size8 * (size8 + 4) + 2 * size8);
}

/// Of find_roots, for m bins a spectrum and blocks of `size` rows: the iteration's three matrices,
/// or before them two block columns of X and a block of M; two vectors; 32 numbers of warps, and a
/// flag.
[[nodiscard]] constexpr std::size_t root_bytes(int m, int size) {
  const std::size_t P = padded_root(m);
  const std::size_t size8 = round_up_8(size);
  const std::size_t iteration = 3 * P * (P + 4);
  const std::size_t columns = 2 * size8 * (P + 4) + size8 * (size8 + 4);
  return sizeof(double) * (std::max(iteration, columns) + 2 * P + 32 + 1);
}

}  // namespace spex::gpu
