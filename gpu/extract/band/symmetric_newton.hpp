// The covariance blocks and their roots, from the factored band, without eigendecompositions
// (extraction.md, section 5); the counterpart of inverse_root in reference/linalg/symmetric.hpp.
#pragma once

#include "gpu/extract/batch/limits.hpp"
#include "gpu/extract/batch/spectra.hpp"

namespace spex::gpu {

/// Input and output of find_roots for a batch of core spectra.
struct RootBatch {
  const PatchGeometry* patches = nullptr;
  const CoreSpectrum* cores = nullptr;
  int ncores = 0;
  BandLayout layout;
  const double* panels = nullptr;  ///< from factor_band
  const double* M = nullptr;       ///< from factor_band
  const double* f = nullptr;       ///< [patch][layout.rows()]
  const double* q = nullptr;       ///< [patch][layout.rows()]
  double* C = nullptr;             ///< [ncores][m][m]: written only for ill-conditioned blocks
  int* hard = nullptr;             ///< [ncores]: 1 if the root is left to Jacobi
  int* status = nullptr;           ///< [patch]; patches with a nonzero status are skipped
};

/// Computes C_s of each core spectrum, Q_s = C_s^(-1/2), and from Q_s the spectrum, as store_signal
/// writes it.
///
/// C_s = X_s^T X_s with X_s the spectrum's columns of L^-1, block by block: X_b = M_b X_{b-1} for
/// the columns that began before block b, and columns of L_bb^-1 for the columns that begin in
/// block b.
///
/// Q_s by the coupled Newton-Schulz iteration (Higham, Functions of Matrices, 6.35), scaled as by
/// Chen and Chow (2014) for the sign function. With A = C / ||C||, Y_0 = A, Z_0 = I:
///
///    T = rho / 2 (3 I - rho^2 Z Y),  Y <- Y T,  Z <- T Z;  Z -> A^(-1/2)
///
/// rho = sqrt(3 / (1 + l + l^2)), where l^2 is a lower bound of the eigenvalues of Z Y, updated by
/// l <- rho l (3 - rho^2 l^2) / 2. Smaller eigenvalues still grow; the residual |I - Z Y| decides.
/// Below a residual of 0.1 scaling stops.
///
/// A block is hard if its condition number ||C|| ||Q||^2 exceeds 1e5 (fully masked bins are held by
/// the prior alone), which its variances often imply without an iteration, or if the residual does
/// not fall below 1e-9. For a hard block C_s is kept and nothing is stored, because Jacobi loses
/// fewer digits. m = layout.nwave <= largest_root. One thread block per spectrum, with FP64 tensor
/// cores and root_bytes(m, layout.size()) of shared memory.
void find_roots(const RootBatch& batch, const SpectraView& spectra, cudaStream_t stream);

}  // namespace spex::gpu
