// The covariance blocks and their roots, from the factored band, without an eigendecomposition
// (extraction.md, section 5).
#pragma once

#include "gpu/extract/limits.hpp"
#include "gpu/extract/normal_equations.hpp"

namespace spex::gpu {

/// What find_roots reads and writes for a batch of core spectra.
struct RootBatch {
  const PatchGeometry* patches = nullptr;
  const CoreSpectrum* cores = nullptr;
  int ncores = 0;
  BandLayout layout;
  const double* panels = nullptr;  ///< of factor_band
  const double* M = nullptr;       ///< likewise
  const double* f = nullptr;       ///< [patch][layout.rows()]
  const double* q = nullptr;       ///< likewise
  double* C = nullptr;             ///< [ncores][m][m]: the blocks of hard spectra only
  int* hard = nullptr;             ///< [ncores]: 1 where the root is left to Jacobi
  int* status = nullptr;           ///< [patch]; a patch whose status is not 0 is left alone
};

/// C_s of each core spectrum, Q_s = C_s^(-1/2), and from it the spectrum as store_signal writes it.
///
/// C_s = X_s^T X_s with X_s the spectrum's columns of L^-1, block by block: X_b = M_b X_{b-1} for
/// the columns that began before block b, and the columns of L_bb^-1 for those that begin there.
///
/// Q_s by the coupled Newton-Schulz iteration (Higham, Functions of Matrices, 6.35), scaled as Chen
/// and Chow (2014) do for the sign function. With A = C / ||C||, Y_0 = A, Z_0 = I:
///
///     T = rho / 2 (3 I - rho^2 Z Y),  Y <- Y T,  Z <- T Z;  Z -> A^(-1/2)
///
/// rho = sqrt(3 / (1 + l + l^2)), where l^2 is a lower bound of the eigenvalues of Z Y, updated by
/// l <- rho l (3 - rho^2 l^2) / 2; smaller eigenvalues still grow, and the residual |I - Z Y|
/// decides. Below 0.1 nothing is scaled any more.
///
/// A block is hard, C_s is kept and nothing is stored, where its condition number ||C|| ||Q||^2 is
/// above 1e5 (fully masked bins are held by the prior alone), which its variances often say without
/// an iteration, or the residual does not fall below 1e-9: Jacobi then loses fewer digits.
/// m = layout.nwave <= largest_root. A block of the GPU a spectrum, in FP64 tensor cores, with
/// root_bytes(m, layout.size()) of shared memory.
void find_roots(const RootBatch& batch, const SpectraView& spectra, cudaStream_t stream);

}  // namespace spex::gpu
