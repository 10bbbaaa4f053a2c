// The results of an extraction in device memory: the counterpart of PatchResult, for many patches.
#pragma once

#include "gpu/core/buffer.hpp"
#include "gpu/extract/batch/batch_view.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {

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

/// Copies f of the core bins that q constrains, of patches with status 0, to the spectra's f, which
/// must exist. One block per patch.
void store_f(const BatchView& batch, const SolutionView& solution, cudaStream_t stream);

/// The core spectra of a batch whose roots are known, and where the results go.
struct CoreBatch {
  const PatchGeometry* patches = nullptr;  ///< [patch]
  const CoreSpectrum* cores = nullptr;     ///< [ncores]
  int ncores = 0;
  int m = 0;                  ///< padded bins of a spectrum
  BinStrides strides;         ///< of all vectors over the bins of patches
  const double* q = nullptr;  ///< electron^-2
  int* status = nullptr;      ///< [patch]; becomes 1 if a number is not finite
  SpectraView spectra;
  const int* wanted = nullptr;  ///< [ncores]; unless null, spectra with 0 are left out
};

/// Computes the spectra from Q_s of each core spectrum (m x m, stride m m, symmetric): row sums r,
/// R = Q / r, flux = R f, ivar = r^2, and the stored resolution (extraction.md, section 5), for the
/// core bins that q constrains. `work` must hold 2 m numbers per spectrum. One block per spectrum.
void store_signal(const CoreBatch& batch, const double* Q, const double* f, double* work,
                  cudaStream_t stream);

/// The same for `noise`, with given row sums r and Q f of the whole patch, laid out like f, of all
/// spectra.
void store_noise(const CoreBatch& batch, const double* Q, const double* r, const double* Qf,
                 cudaStream_t stream);

}  // namespace spex::gpu
