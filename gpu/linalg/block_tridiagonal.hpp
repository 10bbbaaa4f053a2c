// Cholesky factorization of N in band form, f, and blocks of the covariance (extraction.md,
// sections 4 and 5) for a batch of patches; the counterpart of
// reference/linalg/block_tridiagonal.hpp.
#pragma once

#include <cuda_runtime.h>

#include "gpu/linalg/batch.hpp"

namespace spex::gpu {

/// N = L L^T for `count` patches, one thread block each. In `panels` the diagonal blocks become
/// L_bb^-1 (lower; the upper triangle becomes 0) and the blocks below become L_{b+1,b}; M[patch][b]
/// = -L_bb^-1 L_{b,b-1} (size x size, column-major; not set for b = 0). y becomes f = N^-1 y,
/// `[patch][layout.rows()]`. `status[patch]` becomes 1 if N is not positive definite or not finite;
/// the patch's other results are then undefined, but other patches are not affected. A thread block
/// needs factor_bytes(layout.size()) of shared memory.
void factor_band(int count, const BandLayout& layout, double* panels, double* M, double* y,
                 int* status, cudaStream_t stream);

}  // namespace spex::gpu
