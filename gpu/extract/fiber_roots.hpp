// Roots of the Schur complements by Zolotarev's shifts, and the spectra (extraction.md, 5.1).
#pragma once

#include "gpu/extract/fiber_solve.hpp"

namespace spex::gpu {

/// Numbers that find_fiber_roots needs of scratch, for any number of spectra: what the warps that
/// the device can hold need.
[[nodiscard]] std::size_t fiber_root_scratch(const FiberLayout& layout, int ndiag);

/// Q_s = P_s^(1/2) of each core spectrum, and from it flux, ivar and the stored resolution, for the
/// bins that q constrains; `trace` is that of FiberSolution. A patch that the guard refuses becomes
/// guarded; one with a number that is not finite gets status 1. Eight lanes a spectrum, a pole
/// each, in as many rounds as the poles need.
void find_fiber_roots(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                      const FiberLayout& layout, const SchurComplements& complements,
                      const double* trace, const double* q, double* scratch, int* status,
                      const SpectraView& spectra, cudaStream_t stream);

}  // namespace spex::gpu
