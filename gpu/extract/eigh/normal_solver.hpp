// Solutions of the normal equations N f = y by cuSOLVER's routines (extraction.md, section 4).
#pragma once

#include <cstddef>

#include "gpu/core/buffer.hpp"
#include "gpu/core/context.hpp"
#include "reference/model/choices.hpp"

namespace spex::gpu {

/// The normal equations of `count` patches of order n, consecutive in device memory.
struct NormalSystems {
  int n = 0;
  int count = 0;
  const double* N = nullptr;  ///< `[count][n][n]`, both triangles
  const double* y = nullptr;  ///< `[count][n]`
  double* f = nullptr;        ///< `[count][n]`; output
};

/// The routines with their work space, which is allocated once and grows on demand.
class NormalSolver {
 public:
  explicit NormalSolver(const Context& context) : context_(&context) {}

  /// Computes f on the context's stream, without a change of N and y. Routines of one patch are
  /// called for each. `failed[k]` (device memory) becomes nonzero if N of patch k is not positive
  /// definite by Cholesky, else 0; QR does not notice. Throws as check() does, and std::logic_error
  /// for `eigenvectors`.
  void solve(SolveRoutine routine, const NormalSystems& systems, int* failed);

 private:
  void by_qr(const NormalSystems& systems, int* failed);
  void by_cholesky(const NormalSystems& systems, int* failed);
  void by_batched_cholesky(const NormalSystems& systems, int* failed);

  const Context* context_;
  DeviceBuffer<double> factors_, tau_, work_;
  DeviceBuffer<double*> pointers_;
  DeviceBuffer<int> info_;
};

}  // namespace spex::gpu
