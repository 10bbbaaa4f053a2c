// The condition number of N in band form (extraction.md, section 5: methods other than eigh fall
// back if the estimate exceeds a bound); the counterpart of reference/linalg/block_tridiagonal.hpp.
#pragma once

#include "gpu/layout/patches.hpp"
#include "gpu/linalg/block_tridiagonal.hpp"

namespace spex::gpu {

/// Condition numbers of the patches of BandSystems, in device memory.
struct BandConditions {
  double* norm = nullptr;       ///< [patch]: ||N||_1
  double* condition = nullptr;  ///< [patch]
  double* work = nullptr;       ///< [patch][2][layout.rows()]
  double bound = 0;
};

/// `norm[patch]` = ||N||_1 over the patch's bins, excluding padding rows. Must run before
/// factor_band overwrites N.
void find_band_norms(const PatchGeometry* patches, const BandSystems& systems,
                     const BandConditions& conditions, cudaStream_t stream);

/// `condition[patch]` = ||N||_1 times a lower estimate of ||N^-1||_1 from the factors of
/// factor_band: Higham's method with the vectors and order of LAPACK's dlacn2, as in the reference.
/// `status[patch]` becomes 1 unless the estimate is below `bound`. Patches with a nonzero status
/// are skipped. One thread block per patch.
///
/// The estimate takes longer than the factorization. If ||N||_1 max_j L_jj^-2, a smaller value that
/// needs no solve, is below sqrt(bound), `condition[patch]` is set to it instead. On simulated
/// patches with ever finer bins, with condition numbers from 6e2 to 8e12, it was at most 1.5e4
/// times smaller, so that sqrt(bound) leaves a margin.
void check_condition(const PatchGeometry* patches, const BandSystems& systems,
                     const BandConditions& conditions, cudaStream_t stream);

}  // namespace spex::gpu
