// The condition number of N in band form (extraction.md, section 5: a method that is not eigh falls
// back where an estimate is above a stated bound).
#pragma once

#include "gpu/extract/normal_equations.hpp"

namespace spex::gpu {

/// `norm[patch]` = ||N||_1 over the patch's own bins, before factor_band destroys N; rows of
/// padding do not count.
void find_band_norms(const PatchGeometry* patches, int count, const BandLayout& layout,
                     const double* panels, double* norm, cudaStream_t stream);

/// `condition[patch]` = ||N||_1 times an estimate, from below, of ||N^-1||_1 from the factors of
/// factor_band: Higham's, with the vectors and in the order of LAPACK's dlacn2, as the reference
/// has it. `status[patch]` becomes 1 where that is not below `bound`. Patches whose status is not 0
/// are left alone. `work` has room for 2 layout.rows() numbers a patch. A block a patch.
///
/// The estimate takes longer than the factors. Where ||N||_1 max_j L_jj^-2, which needs no solution
/// and is smaller, is below sqrt(bound), that is `condition[patch]` instead. On simulated patches
/// of ever finer bins, with condition numbers of 6e2 to 8e12, it was smaller by 1.5e4 at most, so
/// that the root of the bound leaves room.
void check_condition(const PatchGeometry* patches, int count, const BandLayout& layout,
                     const double* panels, const double* norm, double bound, double* work,
                     double* condition, int* status, cudaStream_t stream);

}  // namespace spex::gpu
