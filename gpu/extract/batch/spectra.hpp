// The results of an extraction in device memory: the counterpart of PatchResult, for many patches.
#pragma once

#include <cstdint>

#include "gpu/core/buffer.hpp"
#include "gpu/layout/patches.hpp"
#include "gpu/linalg/batch.hpp"
#include "reference/core/count.hpp"

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

/// Size of a SpectraView with these numbers of bins and diagonals, in doubles.
[[nodiscard]] inline std::size_t spectra_size(int nspec, int nwave, int ndiag) {
  const std::size_t bins = count_of(nspec, nwave);
  return count_of(bins, 4 + 2 * ndiag + 1) + (bins + sizeof(double) - 1) / sizeof(double);
}
/// The view of an array of spectra_size numbers.
[[nodiscard]] SpectraView view_spectra(double* values, int nspec, int nwave, int ndiag,
                                       int first_bin);

/// Sets flux, ivar, chi2pix, resolution, pulled and f to 0 and pixmask_fraction to 1.
void clear_spectra(const SpectraView& spectra, cudaStream_t stream);

/// Resets the core bins of patches with a nonzero status to the values of clear_spectra, except
/// pixmask_fraction. Leaves guarded patches, whose spectra another engine writes.
void clear_failed(const PatchGeometry* patches, int count, const int* status,
                  const SpectraView& spectra, cudaStream_t stream);

/// Copies f of the core bins that q constrains, of patches with status 0, to `spectra.f`, which
/// must exist. One block per patch.
void store_f(const PatchGeometry* patches, int count, const double* f, const double* q,
             const BinStrides& strides, const int* status, const SpectraView& spectra,
             cudaStream_t stream);

/// Computes the spectra from Q_s of each core spectrum (m x m, stride m m, symmetric): row sums r,
/// R = Q / r, flux = R f, ivar = r^2, and the stored resolution (extraction.md, section 5), for the
/// core bins that q constrains. `status[patch]` becomes 1 if a number is not finite. `work` must
/// hold 2 m numbers per spectrum. If `wanted` is not null, only spectra k with wanted[k] != 0 are
/// computed. One block per spectrum.
void store_signal(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                  const double* Q, int m, const double* f, const double* q,
                  const BinStrides& strides, double* work, int* status, const SpectraView& spectra,
                  cudaStream_t stream, const int* wanted = nullptr);

/// The same for `noise`, with given row sums r and Q f of the whole patch, laid out like f.
void store_noise(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                 const double* Q, int m, const double* r, const double* Qf, const double* q,
                 const BinStrides& strides, int* status, const SpectraView& spectra,
                 cudaStream_t stream);

}  // namespace spex::gpu
