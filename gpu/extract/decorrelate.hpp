// The definition's way on the GPU, by eigendecompositions in cuSOLVER (extraction.md, sections 4
// and 5); the counterpart of reference/extract/decorrelate.hpp.
#pragma once

#include <limits>
#include <vector>

#include "gpu/core/context.hpp"
#include "gpu/extract/spectra.hpp"
#include "reference/model/options.hpp"

namespace spex::gpu {

/// Solver with its workspaces, for patches of the same n = nspec nwave. Made once; grows as needed.
class EigenSolver {
 public:
  explicit EigenSolver(const Context& context) : context_(&context) {}

  /// Patches of one shape that are solved together.
  struct Patches {
    const PatchGeometry* geometry = nullptr;  ///< in device memory
    int count = 0;
    int nspec = 0, nwave = 0;  ///< of each, padding included
    int pad_below = 0;         ///< padding spectra below the core
    double* N = nullptr;       ///< dense, spectrum-major, patch k at N + k n n, with its prior
    const double* y = nullptr;
    const double* q = nullptr;  ///< as y `[patch][n]`
    double* f = nullptr;        ///< `[patch][n]`
    /// `status[patch]` becomes 1 where a decomposition fails or a number is not finite, and
    /// `guarded` where the eigenvalues of N are further apart than `condition_bound`.
    int* status = nullptr;
    double condition_bound = std::numeric_limits<double>::infinity();
  };

  /// f = N^-1 y by Cholesky (potrf, potrs; batched where the batch is `all`), or by the
  /// eigendecomposition where N is not positive definite. N becomes its eigenvectors.
  void solve(EigenBatch batch, const Patches& patches);
  /// The spectra of the patches that were solved last, from those eigenvectors: the blocks of the
  /// core spectra `cores` of all patches, in order of patch, their roots, flux, ivar, R (section
  /// 5).
  void decorrelate(EigenBatch batch, Decorrelate kind, const Patches& patches,
                   const std::vector<CoreSpectrum>& cores, const SpectraView& spectra);

  /// The spectra of blocks C_s (ncores of m x m, destroyed) by their eigendecompositions, in one
  /// batch where `batch` is not none; `cores` in device memory, the others as in store_signal.
  void store_roots(EigenBatch batch, const PatchGeometry* patches, const CoreSpectrum* cores,
                   int ncores, int m, double* C, const double* f, const double* q,
                   const BinStrides& strides, int* status, const SpectraView& spectra);

 private:
  /// f = N^-1 y by Cholesky; N is kept. `failed[k]` becomes 1 where patch k is not positive
  /// definite.
  void solve_by_cholesky(EigenBatch batch, int n, int count, const double* N, const double* y,
                         double* f, int* failed);
  /// A = V diag(u) V^T for `count` matrices of order n, eigenvalues ascending; A becomes V. By
  /// divide and conquer, one at a time or all in a batch (gpu/core/eigensolver.hpp).
  void decompose(bool batched, int n, int count, double* A, double* u);
  /// The same by Jacobi rotations, which keep the digits of small eigenvalues (syevd lost so many
  /// of a block's that golden/tiny-z was missed), one at a time or all in a batch.
  void decompose_jacobi(bool batched, int n, int count, double* A, double* u);

  const Context* context_;
  DeviceBuffer<double> u_, scaled_, blocks_, block_u_, Q_, row_sums_, vectors_, L_;
  DeviceBuffer<double*> pointers_;
  DeviceBuffer<std::byte> work_;
  std::vector<std::byte> host_work_;
  DeviceBuffer<int> info_, not_definite_;
  DeviceBuffer<CoreSpectrum> cores_;
};

}  // namespace spex::gpu
