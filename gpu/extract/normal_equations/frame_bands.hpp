// N by spectra over all wavelengths of many fibers, computed once for all patches that share
// elements (extraction.md, sections 4 and 5.1); the counterpart of
// reference/extract/normal_equations.hpp.
#pragma once

#include "gpu/extract/batch/bins.hpp"

namespace spex::gpu {

/// Bands without their prior, and sums over pixels, of all bins of a SpotsView, from all CCD pixels
/// (extraction.md, section 4). Fibers s and bins v are the view's. In device memory; bands and q in
/// electron^-2, y in electron^-1, good dimensionless.
struct FrameBands {
  int nspec = 0;
  int nwave = 0;
  int reach = 0;
  double* band = nullptr;  ///< N_ss: (v + d, v) at (s nwave + v) (reach + 1) + d
  /// N_{s+1,s}: (v - reach + d, v) at (s nwave + v) (2 reach + 1) + d. `pair` and `band` are 0
  /// where the bin does not exist.
  double* pair = nullptr;
  /// sum_i W_i A_ij p_i, sum_i W_i A_ij and sum_i A_ij [W_i > 0], `[s][v]` each.
  double* y = nullptr;
  double* q = nullptr;     ///< see `y`
  double* good = nullptr;  ///< see `y`
  /// Nonzero if bin (s, v), without its prior, shares more light than fiber_bounds::far with a bin
  /// of a spectrum two or more above, `[s][v]`.
  unsigned char* far = nullptr;

  [[nodiscard]] SPEX_HD size_t bin(int s, int v) const {
    return static_cast<size_t>(s) * nwave + v;
  }
  /// The same bands, in which bin `count` is bin 0. The last `count` bins of a fiber are then the
  /// first ones of the next.
  [[nodiscard]] FrameBands without(int count) const {
    FrameBands bands = *this;
    bands.band += static_cast<size_t>(count) * (reach + 1);
    bands.pair += static_cast<size_t>(count) * (2 * reach + 1);
    bands.y += count;
    bands.q += count;
    bands.good += count;
    bands.far += count;
    return bands;
  }
};

/// Bins are assembled in tiles of eight from a multiple of eight of the grid: the tile of bin v of
/// a view that begins with the grid's bin `first_bin`.
[[nodiscard]] SPEX_HD constexpr int tile_of(int first_bin, int v) {
  return (v + (first_bin % 8 + 8) % 8) / 8;
}
/// Tiles of a fiber of `nwave` bins, at most.
[[nodiscard]] SPEX_HD constexpr int frame_tiles(int nwave) {
  return (nwave + 14) / 8;
}

/// Sets all of `bands` except `far`; the sizes must be set. `first_bin` is the grid bin of the
/// view's first bin, which fixes the order of sums for any view. If `wanted` is not null, sets only
/// the bins of tiles with nonzero `wanted`, `[s][frame_tiles]`. One warp per tile.
void assemble_frame(const SpotsView& spots, const PixelsView& pixels, int first_bin,
                    const FrameBands& bands, cudaStream_t stream,
                    const unsigned char* wanted = nullptr);

/// Sets `far` of assembled bands of spots that have rims. `nslots` is the maximal number of spectra
/// of a patch, which limits the distance of checked spectra.
void find_far_light(const SpotsView& spots, const PixelsView& pixels, int first_bin, int nslots,
                    const FrameBands& bands, cudaStream_t stream);

}  // namespace spex::gpu
