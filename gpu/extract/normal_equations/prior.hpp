// The prior of N on the GPU (extraction.md, section 4; BS 4); the counterpart of add_prior in
// reference/extract/normal_equations.hpp.
#pragma once

#include "gpu/extract/batch/batch_view.hpp"

namespace spex::gpu {

/// What the prior is made from.
struct PriorInput {
  BinStrides strides;         ///< of q and the prior
  const double* q = nullptr;  ///< of all padded bins, electron^-2
  double regularize = 0;
};

/// The prior lambda_j^2 + 1e-15 of every bin: m = 1e-4 max q; lambda_j = m - q_j where q_j <= m,
/// else `regularize`. One block per patch.
void find_prior(const BatchView& batch, const PriorInput& input, double* prior,
                cudaStream_t stream);

/// Adds the prior to the diagonals of dense N, patch k at N + k n n with n = batch.n,
/// spectrum-major.
void add_prior(const BatchView& batch, const BinStrides& strides, const double* prior, double* N,
               cudaStream_t stream);

/// Sets `pulled` of the core bins of patches with status 0 (extraction.md, section 4.1), after
/// find_quality. One block per patch.
void find_pulled(const BatchView& batch, const SolutionView& solution, cudaStream_t stream);

}  // namespace spex::gpu
