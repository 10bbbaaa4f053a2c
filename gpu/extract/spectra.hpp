// What an extraction leaves in device memory: the counterpart of PatchResult, for many patches.
#pragma once

#include "gpu/core/buffer.hpp"
#include "gpu/layout/patches.hpp"
#include "gpu/linalg/batch.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {

/// Spectra of `nspec` fibers over the whole grid, electron a bin: `[fiber * nwave + w]`; resolution
/// `[(fiber * ndiagonals + d) * nwave + w]`. Fibers count as in SpotsView.
struct SpectraView {
  int nspec = 0;
  int nwave = 0;
  int ndiag = 0;
  int first_bin = 0;  ///< bin of the grid of a SpotsView's first bin (negative: padding)
  double* flux = nullptr;
  double* ivar = nullptr;
  double* chi2pix = nullptr;
  double* pixmask_fraction = nullptr;
  double* resolution = nullptr;

  [[nodiscard]] SPEX_HD int ndiagonals() const { return 2 * ndiag + 1; }
  /// Bin of the grid of a patch's first core bin.
  [[nodiscard]] SPEX_HD int core_bin(const PatchGeometry& patch) const {
    return patch.wave0 + patch.wavepad + first_bin;
  }
};

/// Numbers of a SpectraView of that many bins and diagonals.
[[nodiscard]] inline std::size_t spectra_size(int nspec, int nwave, int ndiag) {
  return count_of(nspec, nwave, 4 + 2 * ndiag + 1);
}
/// The view of an array of spectra_size numbers.
[[nodiscard]] SpectraView view_spectra(double* values, int nspec, int nwave, int ndiag,
                                       int first_bin);

/// Sets flux, ivar, chi2pix and resolution to 0 and pixmask_fraction to 1.
void clear_spectra(const SpectraView& spectra, cudaStream_t stream);

/// Makes a patch's core bins what clear_spectra makes them, but for pixmask_fraction, for the
/// patches whose status is not 0.
void clear_failed(const PatchGeometry* patches, int count, const int* status,
                  const SpectraView& spectra, cudaStream_t stream);

/// From Q_s of each core spectrum (m x m, stride m m, either triangle as the other): row sums r,
/// R = Q / r, flux = R f, ivar = r^2, and the stored resolution (extraction.md, section 5), for the
/// core bins that q constrains. `status[patch]` becomes 1 where a number is not finite. `work` has
/// room for 2 m numbers a spectrum. Where `wanted` is not null, only of the spectra k with
/// wanted[k] other than 0. A block a spectrum.
void store_signal(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                  const double* Q, int m, const double* f, const double* q,
                  const BinStrides& strides, double* work, int* status, const SpectraView& spectra,
                  cudaStream_t stream, const int* wanted = nullptr);

/// The same for `noise`: row sums r and Q f of the whole patch are given, as vectors like f.
void store_noise(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                 const double* Q, int m, const double* r, const double* Qf, const double* q,
                 const BinStrides& strides, int* status, const SpectraView& spectra,
                 cudaStream_t stream);

}  // namespace spex::gpu
