// N of a patch by spectra: a band a spectrum and one a pair of neighbours (extraction.md, 5.1).
#pragma once

#include "gpu/extract/frame_bands.hpp"

namespace spex::gpu {

/// How the bands of a batch stand. Bins are spectrum-major, (s, w) at s nwave + w, and patches
/// with fewer spectra than nslots leave the room of the others unused.
struct FiberLayout {
  int nslots = 0;  ///< most padded spectra of a patch
  int nwave = 0;   ///< padded bins of a spectrum
  int reach = 0;   ///< of the bands as stored

  [[nodiscard]] SPEX_HD BinStrides strides() const { return {nslots * nwave, nwave, 1}; }
  /// Numbers of a spectrum's band: element (v + d, v) at v (reach + 1) + d, zeros beyond nwave.
  [[nodiscard]] SPEX_HD int band_size() const { return nwave * (reach + 1); }
  /// Numbers of the block (s + 1, s): element (v - reach + d, v) at v (2 reach + 1) + d.
  [[nodiscard]] SPEX_HD int pair_size() const { return nwave * (2 * reach + 1); }
};

/// The bands of N, without their prior factored in: `[patch][slot]` each.
struct FiberBands {
  double* band = nullptr;  ///< N_ss
  double* pair = nullptr;  ///< N_{s+1,s}; of the last slot unused
};

/// y, q and good of all padded bins of `count` patches of at most `nmax` bins: the frame's, or new
/// sums for the bins of which the patch uses fewer rows.
void take_bins(const PatchGeometry* patches, int count, int nmax, const SpotsView& spots,
               const PixelsView& pixels, const FrameBands& frame, const BinVectors& bins,
               cudaStream_t stream);

/// Sets all bands, with the prior on the diagonals, from the frame's of the same reach, or anew for
/// the bins of which the patch uses fewer rows. Spectra two or more apart are looked at, not
/// stored: `status[patch]` becomes `guarded` where they share light.
void take_bands(const PatchGeometry* patches, int count, const FiberLayout& layout,
                const SpotsView& spots, const PixelsView& pixels, const FrameBands& frame,
                const double* prior, const FiberBands& bands, int* status, cudaStream_t stream);

}  // namespace spex::gpu
