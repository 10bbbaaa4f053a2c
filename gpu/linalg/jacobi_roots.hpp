// Inverse roots of ill-conditioned covariance blocks (extraction.md, section 5.1); the counterpart
// of inverse_root in reference/linalg/symmetric.hpp.
#pragma once

#include <cuda_runtime.h>

#include "gpu/linalg/batch.hpp"

namespace spex::gpu {

/// Q_k = C_k^(-1/2) in the place of C_k, of `count` symmetric matrices of order m <= largest_root,
/// one behind the other. Where `wanted` is not null, only of those with wanted[k] other than 0.
///
/// C = L L^T, and one-sided Jacobi rotations turn the columns of L until they are orthogonal:
/// L V = U diag(s), so that Q = U diag(1/s) U^T. Eigenvalues of C that are far below the largest
/// keep their digits where bins differ in scale by as much, as they do beside masked blocks. Bins
/// of the same matrix always meet in the same order, so that the result does not depend on the
/// batch.
///
/// Where C is not positive definite to working precision, or does not converge in 30 sweeps, the
/// status of the patch of cores[k] becomes 1 and C stays. A block a matrix, with
/// jacobi_roots_bytes(m) of shared memory.
void find_jacobi_roots(const CoreSpectrum* cores, int count, const int* wanted, int m, double* C,
                       int* status, cudaStream_t stream);

}  // namespace spex::gpu
