// Inverse roots of ill-conditioned covariance blocks (extraction.md, section 5.1); the counterpart
// of inverse_root in reference/linalg/symmetric.hpp.
#pragma once

#include <cuda_runtime.h>

#include "gpu/linalg/batch.hpp"

namespace spex::gpu {

/// Replaces C_k by Q_k = C_k^(-1/2) for `count` consecutive symmetric matrices of order m <=
/// largest_root. If `wanted` is not null, only for matrices with wanted[k] != 0.
///
/// C = L L^T, and one-sided Jacobi rotations make the columns of L orthogonal: L V = U diag(s), so
/// that Q = U diag(1/s) U^T. Eigenvalues of C far below the largest keep their relative accuracy if
/// bins differ in scale accordingly, as next to masked blocks. Pairs of bins are rotated in a fixed
/// order, so that the result does not depend on the batch.
///
/// If C is not positive definite to working precision, or does not converge in 30 sweeps, the
/// status of the patch of cores[k] becomes 1 and C is unchanged. One thread block per matrix, with
/// jacobi_roots_bytes(m) of shared memory.
void find_jacobi_roots(const CoreSpectrum* cores, int count, const int* wanted, int m, double* C,
                       int* status, cudaStream_t stream);

}  // namespace spex::gpu
