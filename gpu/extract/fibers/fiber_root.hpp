// Roots of the Schur complements by Zolotarev's shifts, and the spectra (extraction.md, 5.1); the
// counterpart of reference/extract/fiber_root.hpp.
#pragma once

#include "gpu/extract/fibers/fiber_cholesky_solve.hpp"

namespace spex::gpu {

/// Size of the scratch memory of find_fiber_roots in doubles: enough for all warps that are
/// resident on the device, for any number of spectra.
[[nodiscard]] std::size_t fiber_root_scratch(const FiberLayout& layout, int ndiag);

/// Computes Q_s = P_s^(1/2) of each core spectrum, and from it flux, ivar and the stored
/// resolution, for the bins that q constrains. A rejected patch becomes guarded; a patch with a
/// non-finite number gets status 1. Eight lanes per spectrum, one pole each, in as many rounds as
/// the poles need.
void find_fiber_roots(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                      const FiberLayout& layout, const FiberSolution& solution,
                      const SchurComplements& complements, const double* q, double* scratch,
                      int* status, const SpectraView& spectra, cudaStream_t stream);

}  // namespace spex::gpu
