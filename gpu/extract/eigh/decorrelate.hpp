// The reference method on the GPU: eigendecompositions by cuSOLVER (extraction.md, sections 4 and
// 5); the counterpart of reference/extract/decorrelate.hpp.
#pragma once

#include <limits>
#include <vector>

#include "gpu/core/eigensolver.hpp"
#include "gpu/extract/batch/spectra.hpp"
#include "gpu/extract/eigh/normal_solver.hpp"
#include "reference/model/choices.hpp"

namespace spex::gpu {

/// A solver with workspaces for patches of equal n = nspec nwave. Memory is allocated once and
/// grows on demand.
class EigenSolver {
 public:
  explicit EigenSolver(const Context& context)
      : context_(&context), eigensolver_(context), normal_solver_(context) {}

  /// Patches of one shape that are solved together.
  struct Patches {
    const PatchGeometry* geometry = nullptr;  ///< in device memory
    int count = 0;
    int nspec = 0, nwave = 0;  ///< per patch, including padding
    int pad_below = 0;         ///< padding spectra below the core
    double* N = nullptr;       ///< dense with its prior, spectrum-major; patch k at N + k n n
    const double* y = nullptr;
    const double* q = nullptr;  ///< `[patch][n]`, as y
    double* f = nullptr;        ///< `[patch][n]`
    /// `status[patch]` becomes 1 if a decomposition fails or a number is not finite, and `guarded`
    /// if the ratio of N's eigenvalues exceeds `condition_bound`.
    int* status = nullptr;
    double condition_bound = std::numeric_limits<double>::infinity();
  };

  /// f = N^-1 y by the routine, or from the eigenvectors if N is not positive definite to rounding:
  /// if Cholesky fails or an eigenvalue is clipped. Overwrites N by its eigenvectors.
  void solve(const EighRoutines& routines, const Patches& patches);
  /// Computes the spectra of the patches of the last solve() from their eigenvectors: blocks,
  /// roots, flux, ivar and R of the core spectra `cores` of all patches, ordered by patch (section
  /// 5).
  void decorrelate(const EighRoutines& routines, Decorrelate kind, const Patches& patches,
                   const std::vector<CoreSpectrum>& cores, const SpectraView& spectra);

  /// Computes the spectra of blocks C_s (m x m of each core spectrum, overwritten) by
  /// eigendecompositions.
  void store_roots(EighRoutine routine, const CoreBatch& batch, double* C, const double* f);

 private:
  /// A = V diag(u) V^T for `count` matrices of order n, eigenvalues ascending; overwrites A by V.
  void decompose(EighRoutine routine, int n, int count, double* A, double* u);

  const Context* context_;
  SymmetricEigensolver eigensolver_;
  NormalSolver normal_solver_;
  DeviceBuffer<double> u_, scaled_, blocks_, block_u_, Q_, row_sums_, vectors_;
  DeviceBuffer<int> info_, not_definite_;
  DeviceBuffer<CoreSpectrum> cores_;
};

}  // namespace spex::gpu
