// Cholesky factorization of N in band form, f, and blocks of the covariance (extraction.md,
// sections 4 and 5) for a batch of patches; the counterpart of
// reference/linalg/block_tridiagonal.hpp.
#pragma once

#include <cuda_runtime.h>

#include "gpu/linalg/batch.hpp"

namespace spex::gpu {

/// The normal equations of `count` patches in band form, in device memory.
struct BandSystems {
  int count = 0;
  BandLayout layout;
  double* panels = nullptr;  ///< [patch][layout.patch_size()]: N, then its factors
  double* M = nullptr;       ///< [patch][layout.nblocks()], size x size each, column-major
  double* y = nullptr;       ///< [patch][layout.rows()], then f
  int* status = nullptr;     ///< [patch]
};

/// N = L L^T, one thread block per patch. In `panels` the diagonal blocks become L_bb^-1 (lower;
/// the upper triangle becomes 0) and the blocks below become L_{b+1,b}; M[patch][b] = -L_bb^-1
/// L_{b,b-1} (not set for b = 0). y becomes f = N^-1 y. `status[patch]` becomes 1 if N is not
/// positive definite or not finite; the patch's other results are then undefined, but other patches
/// are not affected. A thread block needs factor_bytes(layout.size()) of shared memory.
void factor_band(const BandSystems& systems, cudaStream_t stream);

}  // namespace spex::gpu
