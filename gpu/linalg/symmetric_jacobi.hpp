// Inverse roots of ill-conditioned covariance blocks (extraction.md, section 5.1); the counterpart
// of inverse_root in reference/linalg/symmetric.hpp.
#pragma once

#include <cuda_runtime.h>

#include "gpu/linalg/batch.hpp"

namespace spex::gpu {

/// Consecutive symmetric matrices of core spectra, in device memory.
struct JacobiBatch {
  const CoreSpectrum* cores = nullptr;  ///< [count]
  int count = 0;
  const int* wanted = nullptr;  ///< [count]; unless null, matrices with 0 stay as they are
  int m = 0;                    ///< order, at most largest_root
  double* C = nullptr;          ///< [count][m][m]
  int* status = nullptr;        ///< [patch]
};

/// Replaces each C_k by Q_k = C_k^(-1/2).
///
/// C = L L^T, and one-sided Jacobi rotations make the columns of L orthogonal: L V = U diag(s), so
/// that Q = U diag(1/s) U^T. Eigenvalues of C far below the largest keep their relative accuracy if
/// bins differ in scale accordingly, as next to masked blocks. Pairs of bins are rotated in a fixed
/// order, so that the result does not depend on the batch.
///
/// If C is not positive definite to working precision, or does not converge in 30 sweeps, the
/// status of the patch of cores[k] becomes 1 and C is unchanged. One thread block per matrix, with
/// jacobi_roots_bytes(m) of shared memory.
void find_jacobi_roots(const JacobiBatch& batch, cudaStream_t stream);

}  // namespace spex::gpu
