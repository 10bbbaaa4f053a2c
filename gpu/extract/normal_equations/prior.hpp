// The prior of N on the GPU (extraction.md, section 4; BS 4); the counterpart of add_prior in
// reference/extract/normal_equations.hpp.
#pragma once

#include "gpu/extract/batch/quality.hpp"

namespace spex::gpu {

/// The prior lambda_j^2 + 1e-15 of every bin: m = 1e-4 max q; lambda_j = m - q_j where q_j <= m,
/// else `regularize`. One block per patch.
void find_prior(const PatchGeometry* patches, int count, const BinStrides& strides, const double* q,
                double regularize, double* prior, cudaStream_t stream);

/// Adds the prior to the diagonals of dense N, patch k at N + k n n, spectrum-major.
void add_prior(const PatchGeometry* patches, int count, int n, const BinStrides& strides,
               const double* prior, double* N, cudaStream_t stream);

/// Sets `pulled` of the core bins of patches with status 0 (extraction.md, section 4.1), after
/// find_quality. One block per patch.
void find_pulled(const PatchGeometry* patches, int count, const SolutionView& solution,
                 const int* status, const SpectraView& spectra, cudaStream_t stream);

}  // namespace spex::gpu
