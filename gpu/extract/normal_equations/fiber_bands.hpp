// N of a patch by spectra: one band per spectrum and one per pair of neighboring spectra
// (extraction.md, sections 4 and 5.1); the counterpart of reference/extract/normal_equations.hpp.
#pragma once

#include "gpu/extract/batch/batch_view.hpp"
#include "gpu/extract/normal_equations/frame_bands.hpp"

namespace spex::gpu {

/// Layout of a batch's bands. Bins are spectrum-major, (s, w) at s nwave + w. Patches with fewer
/// spectra than nslots leave slots unused.
struct FiberLayout {
  int nslots = 0;  ///< maximal number of padded spectra of a patch
  int nwave = 0;   ///< padded bins of a spectrum
  int reach = 0;   ///< reach of the stored bands

  [[nodiscard]] SPEX_HD BinStrides strides() const { return {nslots * nwave, nwave, 1}; }
  /// Size of a spectrum's band: element (v + d, v) at v (reach + 1) + d, 0 beyond nwave.
  [[nodiscard]] SPEX_HD int band_size() const { return nwave * (reach + 1); }
  /// Size of the block (s + 1, s): element (v - reach + d, v) at v (2 reach + 1) + d.
  [[nodiscard]] SPEX_HD int pair_size() const { return nwave * (2 * reach + 1); }
};

/// The bands of N including the prior, not factored: `[patch][slot]` each.
struct FiberBands {
  double* band = nullptr;  ///< N_ss
  double* pair = nullptr;  ///< N_{s+1,s}; unused in the last slot
};

/// The patches of a batch by spectra: the argument that the stages of the fiber engine share.
struct FiberBatch {
  BatchView view;
  const CoreSpectrum* cores = nullptr;  ///< [ncores]
  int ncores = 0;
  FiberLayout layout;
  FiberBands bands;
};

/// Sets y, q and good of all padded bins of a batch: copies the frame's values, or recomputes sums
/// for bins of which the patch uses fewer rows.
void take_bins(const BatchView& batch, const FrameBands& frame, const BinVectors& bins,
               cudaStream_t stream);

/// Sets m of the prior of each patch, 1e-4 of the largest q of its bins, electron^-2 `[patch]`.
/// Takes q of the frame; sums pixels only of bins that the patch cuts and that may have the largest
/// q. One block per patch.
void find_scales(const BatchView& batch, const FrameBands& frame, double* scales,
                 cudaStream_t stream);

/// Sets all bands with the prior on the diagonals: copies the frame's bands of the same reach, or
/// recomputes bins of which the patch uses fewer rows.
void take_bands(const FiberBatch& batch, const FrameBands& frame, const double* prior,
                cudaStream_t stream);

/// Sets the status of a patch to `guarded` if spectra at a distance of two or more, whose bands are
/// not stored, share light. `frame.far` and the bands must be set.
void refuse_far_light(const FiberBatch& batch, const FrameBands& frame, cudaStream_t stream);

}  // namespace spex::gpu
