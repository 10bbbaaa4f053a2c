// Cholesky factorization of N in band form, f, and blocks of the covariance (extraction.md,
// sections 4 and 5), a batch of patches at a time; the counterpart of
// reference/linalg/block_tridiagonal.hpp.
#pragma once

#include <cuda_runtime.h>

#include "gpu/linalg/batch.hpp"

namespace spex::gpu {

/// N = L L^T for `count` patches, a block each. In `panels` the diagonal blocks become L_bb^-1
/// (lower, the upper triangle 0) and the blocks below L_{b+1,b}; M[patch][b] = -L_bb^-1 L_{b,b-1}
/// (size x size, column-major; not set for b = 0). y becomes f = N^-1 y, `[patch][layout.rows()]`.
/// `status[patch]` becomes 1 where N is not positive definite or not finite; what else the patch
/// then holds is undefined but no concern of other patches. A block of the GPU needs
/// factor_bytes(layout.size()) of shared memory.
void factor_band(int count, const BandLayout& layout, double* panels, double* M, double* y,
                 int* status, cudaStream_t stream);

}  // namespace spex::gpu
