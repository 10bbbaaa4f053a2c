// The definition's way on the GPU, by eigendecompositions in cuSOLVER (extraction.md, sections 4
// and 5); the counterpart of reference/extract/decorrelate.hpp.
#pragma once

#include <vector>

#include "gpu/core/context.hpp"
#include "gpu/extract/spectra.hpp"
#include "reference/model/options.hpp"

namespace spex::gpu {

/// How many matrices cuSOLVER is given at a time.
enum class EigenBatch {
  none,    ///< one syevd for N, one for each block (multi-gpu)
  blocks,  ///< one syevd for N, the blocks of a patch in one syevjBatched (batch-eigh)
  all,     ///< N of all patches in one batch, and all their blocks (batch-subbundle)
};

/// Solver with its workspaces, for patches of the same n = nspec nwave. Made once; grows as needed.
class EigenSolver {
 public:
  explicit EigenSolver(const Context& context) : context_(&context) {}

  /// Solves and decorrelates `count` patches: N (dense, spectrum-major, patch k at N + k n n, with
  /// its prior; destroyed), y and q as `[patch][n]`, into f `[patch][n]` and the spectra. cores are
  /// the core spectra of all patches, in order of patch. `status[patch]` becomes 1 where a
  /// decomposition fails or a number is not finite.
  void decorrelate(EigenBatch batch, Decorrelate kind, const PatchGeometry* patches, int count,
                   int nspec, int nwave, const std::vector<CoreSpectrum>& cores, int pad_below,
                   double* N, const double* y, const double* q, double* f, int* status,
                   const SpectraView& spectra);

 private:
  /// A = V diag(u) V^T for `count` matrices of order n, eigenvalues ascending; A becomes V.
  void decompose(EigenBatch batch, int n, int count, double* A, double* u);

  const Context* context_;
  DeviceBuffer<double> u_, scaled_, blocks_, block_u_, Q_, vectors_;
  DeviceBuffer<std::byte> work_;
  std::vector<std::byte> host_work_;
  DeviceBuffer<int> info_;
  DeviceBuffer<CoreSpectrum> cores_;
};

}  // namespace spex::gpu
