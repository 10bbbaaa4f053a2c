// Roots of the Schur complements by Zolotarev's shifts, and the spectra (extraction.md, 5.1); the
// counterpart of reference/extract/fiber_root.hpp.
#pragma once

#include "gpu/extract/batch/spectra.hpp"
#include "gpu/extract/fibers/fiber_cholesky_solve.hpp"

namespace spex::gpu {

/// The core spectra of a batch, and where their results go.
struct FiberRoots {
  const PatchGeometry* patches = nullptr;  ///< [patch]
  const CoreSpectrum* cores = nullptr;     ///< [ncores]
  int ncores = 0;
  FiberLayout layout;
  FiberSolution solution;
  SchurComplements complements;
  const double* q = nullptr;  ///< [patch][slot][bin], electron^-2
  int* status = nullptr;      ///< [patch]
  SpectraView spectra;
};

/// Spectra whose roots wait for the term of E, in any order. Device memory for all core spectra.
struct WaitingSpectra {
  int* count = nullptr;
  int* spectrum = nullptr;   ///< [k]
  double* bounds = nullptr;  ///< [k][2], of the eigenvalues of P_b
  double* sums = nullptr;    ///< [k][bin][fiber_roots::width]: P_b^(-1/2) of 1 and y, band of Q
};

/// Size of the scratch memory of find_fiber_roots and add_terms_of_E in doubles: enough for all
/// warps that are resident on the device, for any number of spectra.
[[nodiscard]] std::size_t fiber_root_scratch(const FiberLayout& layout, int ndiag);

/// Computes Q_s = P_s^(1/2) of each core spectrum, and from it flux, ivar and the stored
/// resolution, for the bins that q constrains. A rejected patch becomes guarded; a patch with a
/// non-finite number gets status 1. A spectrum whose bound of E's effect exceeds fiber_outside::gpu
/// is written to `waiting` instead, for add_terms_of_E.
void find_fiber_roots(const FiberRoots& batch, const WaitingSpectra& waiting, double* scratch,
                      cudaStream_t stream);

}  // namespace spex::gpu
