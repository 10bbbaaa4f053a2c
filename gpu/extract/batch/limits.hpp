// Limits of the GPU kernels, without CUDA: engines check them before launches, and the roofline
// model uses them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "gpu/linalg/limits.hpp"
#include "reference/core/count.hpp"
#include "reference/core/host_device.hpp"

namespace spex::gpu {

/// Largest reach, and maximal number of bins of a spectrum, of the fiber engine.
inline constexpr int largest_fiber_reach = 12;
inline constexpr int largest_fiber_bins = 80;
/// Maximal number of patches per launch: the limit of a grid's second dimension.
inline constexpr int max_patches_of_launch = 65535;

/// Bytes of shared memory per block of assemble_band, for patches of at most `nslots` padded fibers
/// and spots of nx x ny pixels.
[[nodiscard]] constexpr std::size_t assemble_bytes(int nslots, int nx, int ny) {
  return sizeof(double) * count_of(nslots, nx, ny);
}

/// Bytes of shared memory of solve_fibers, for patches of at most `nslots` padded fibers of `nwave`
/// bins: f and its update, and the factors if they fit. The other kernels of that engine are sized
/// for largest_fiber_bins.
[[nodiscard]] constexpr std::size_t solve_fibers_bytes(int nslots, int nwave) {
  return sizeof(double) * count_of(2, nslots, nwave);
}

/// Work distribution of find_fiber_roots and add_terms_of_E: lanes of a warp share spectra, a pole
/// a lane.
namespace fiber_roots {
inline constexpr int warps = 4;          ///< per block
inline constexpr int root_lanes = 16;    ///< per spectrum, of the root of P_b
inline constexpr int outside_lanes = 8;  ///< per spectrum, of the term of E
inline constexpr int vectors = 2;        ///< 1 and y of section 5.1
inline constexpr int chunk = 8;          ///< numbers that the lanes of a root sum at a time
inline constexpr int tile = 20;          ///< rows of E that a lane multiplies at a time

/// Numbers a bin: both vectors and the diagonals of a column of Q, in whole chunks.
[[nodiscard]] SPEX_HD constexpr int width(int ndiag) {
  return (ndiag + 1 + vectors + chunk - 1) / chunk * chunk;
}
/// Numbers from a row of E to the next: whole tiles.
[[nodiscard]] SPEX_HD constexpr int stride_of_E(int m) {
  return (m + tile - 1) / tile * tile;
}
/// Shared memory of a spectrum of m bins, in doubles: of the root, its sums and row sums; of the
/// term of E, P_b^(-1/2) 1, the terms and row sums.
[[nodiscard]] SPEX_HD constexpr int root_numbers(int m, int ndiag) {
  return m * (width(ndiag) + 1);
}
[[nodiscard]] SPEX_HD constexpr int outside_numbers(int m) {
  return m * (1 + vectors + 1);
}
/// Bytes of shared memory per block, of the kernel that needs more.
[[nodiscard]] constexpr std::size_t bytes(int m, int ndiag) {
  return sizeof(double) * count_of(warps, std::max(32 / root_lanes * root_numbers(m, ndiag),
                                                   32 / outside_lanes * outside_numbers(m)));
}
}  // namespace fiber_roots

/// The order to which find_roots pads blocks of m bins: a multiple of 16, at least 32.
[[nodiscard]] constexpr int padded_root(int m) {
  return std::max(32, (m + 15) / 16 * 16);
}

/// Bytes of shared memory of find_roots, for m bins per spectrum and blocks of `size` rows: the
/// iteration's three matrices, or before the iteration two block columns of X and a block of M; two
/// vectors; 32 numbers of warps, and a flag.
[[nodiscard]] constexpr std::size_t root_bytes(int m, int size) {
  const std::size_t P = padded_root(m);
  const std::size_t size8 = round_up_8(size);
  const std::size_t iteration = 3 * P * (P + 4);
  const std::size_t columns = 2 * size8 * (P + 4) + size8 * (size8 + 4);
  return sizeof(double) * (std::max(iteration, columns) + 2 * P + 32 + 1);
}

// The largest compiled sizes must fit every supported GPU.
static_assert(root_bytes(largest_root, largest_root_band) <= smallest_shared_memory);

}  // namespace spex::gpu
