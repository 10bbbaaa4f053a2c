// The normal equations of a patch and their prior (extraction.md, section 4; BS 4).
#pragma once

#include <vector>

#include "reference/extract/projection.hpp"
#include "reference/linalg/block_bands.hpp"

namespace spex {

/// N f = y with N = A^T W A and y = A^T W p; n = nspec x nwave unknowns, spectrum-major.
struct NormalEquations {
  int n = 0;              ///< number of unknowns
  std::vector<double> N;  ///< n x n, column-major, lower triangle
  std::vector<double> y;  ///< [n]
  std::vector<double> q;  ///< q_j = sum_i W_i A_ij
};

/// The same with N by spectra: bins that are farther apart in wavelength than spots are high share
/// no pixel.
struct BandEquations {
  BlockBands N;           ///< its blocks of nwave x nwave
  std::vector<double> y;  ///< [n]
  std::vector<double> q;  ///< q_j = sum_i W_i A_ij
};
/// The same equations with N by spectra of `nwave` bins.
[[nodiscard]] BandEquations by_spectra(const NormalEquations& equations, int nwave);
/// The same equations with N whole.
[[nodiscard]] NormalEquations whole(const BandEquations& equations);

/// From the sparse A: every pixel adds the outer product of its row (milestone baseline).
[[nodiscard]] NormalEquations assemble_sparse(const PatchSpots& spots, const PatchPixels& pixels);

/// Pixel rows of a band: about one and a half spots, so that most of a panel is not zero.
inline constexpr int band_rows = 16;
/// The bands of a patch's pixels, from below: `band_rows` rows each, the last may have fewer.
[[nodiscard]] std::vector<PixelRange> row_bands(const PixelRange& range);

/// From the dense A, a band of pixel rows after another: a matrix product for each pair of spectra
/// that share CCD columns there (milestone cpu-refactor).
[[nodiscard]] NormalEquations assemble_dense(const PatchSpots& spots, const PatchPixels& pixels);

/// Straight from the spots, as bands: every row of pixels adds its products of the bins that reach
/// it (method cholesky).
[[nodiscard]] BandEquations assemble_bands(const PatchSpots& spots, const PatchPixels& pixels);

/// m = 1e-4 max q of a patch.
[[nodiscard]] double prior_scale(const std::vector<double>& q);
/// Adds the prior (prior.hpp) to the diagonal.
void add_prior(NormalEquations& equations, double regularize);
/// @copydoc add_prior
void add_prior(BandEquations& equations, double regularize);

}  // namespace spex
