// Views of a batch in device memory: its patches, what they are computed from, and their spectra.
#pragma once

#include <cstdint>

#include "gpu/extract/batch/bins.hpp"

namespace spex::gpu {

/// Spectra of `nspec` fibers over the whole grid, electrons per bin: `[fiber * nwave + w]`;
/// resolution `[(fiber * ndiagonals + d) * nwave + w]`. Fibers as in SpotsView.
struct SpectraView {
  int nspec = 0;
  int nwave = 0;
  int ndiag = 0;
  int first_bin = 0;  ///< grid bin of a SpotsView's first bin (negative: padding)
  double* flux = nullptr;
  double* ivar = nullptr;
  double* chi2pix = nullptr;
  double* pixmask_fraction = nullptr;
  double* resolution = nullptr;
  std::uint8_t* pulled = nullptr;  ///< 1 where the prior pulls the flux, else 0
  double* f = nullptr;             ///< before reconvolution; nullptr unless requested

  [[nodiscard]] SPEX_HD int ndiagonals() const { return 2 * ndiag + 1; }
  /// The grid bin of a patch's first core bin.
  [[nodiscard]] SPEX_HD int core_bin(const PatchGeometry& patch) const {
    return patch.wave0 + patch.wavepad + first_bin;
  }
};

/// The patches of a batch: the argument that stages share. Sizes are the largest of its patches.
struct BatchView {
  const PatchGeometry* patches = nullptr;  ///< [count]
  int count = 0;
  int n = 1;           ///< padded bins
  int npixel = 1;      ///< used pixels
  int ncore_bins = 1;  ///< core bins
  SpotsView spots;
  PixelsView pixels;
  RowBinsView rows;
  SpectraView spectra;
  int* status = nullptr;  ///< [count]
};

}  // namespace spex::gpu
