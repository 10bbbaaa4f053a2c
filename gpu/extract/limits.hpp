// What the kernels of the GPU can do, without CUDA: engines ask before they launch, and the
// roofline counts by the same limits.
#pragma once

#include <algorithm>
#include <cstddef>

#include "gpu/linalg/limits.hpp"
#include "reference/core/count.hpp"
#include "reference/core/host_device.hpp"

namespace spex::gpu {

/// Largest reach, and most bins of a spectrum, of the engine that works spectrum by spectrum.
inline constexpr int largest_fiber_reach = 12;
inline constexpr int largest_fiber_bins = 80;
/// Most patches of one launch: what the second dimension of a grid can count.
inline constexpr int most_patches_of_launch = 65535;

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

/// How find_fiber_roots shares its work.
namespace fiber_roots {
inline constexpr int warps = 4;            ///< of a block
inline constexpr int group = 8;            ///< lanes of a spectrum, a pole each
inline constexpr int spectra_of_warp = 4;  ///< a group each
inline constexpr int vectors = 2;          ///< 1 and y of section 5.1

/// Chunks of `group` numbers that hold the diagonals of a column of Q and the vectors.
[[nodiscard]] SPEX_HD constexpr int chunks(int ndiag) {
  return (ndiag + 1 + vectors + group - 1) / group;
}
/// Numbers of shared memory of a spectrum of m bins.
[[nodiscard]] SPEX_HD constexpr int shared_numbers(int m, int ndiag) {
  return m * group * chunks(ndiag) + vectors * m + m;
}
/// Bytes of shared memory of a block.
[[nodiscard]] constexpr std::size_t bytes(int m, int ndiag) {
  return sizeof(double) * count_of(warps, spectra_of_warp, shared_numbers(m, ndiag));
}
}  // namespace fiber_roots

/// Order to which find_roots pads blocks of m bins: tiles of 16 x 16, and 32 at least.
[[nodiscard]] constexpr int padded_root(int m) {
  return std::max(32, (m + 15) / 16 * 16);
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

// The largest that the kernel is compiled for, on every GPU of clusters.
static_assert(root_bytes(largest_root, largest_root_band) <= smallest_shared_memory);

}  // namespace spex::gpu
