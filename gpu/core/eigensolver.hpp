// Eigendecompositions of symmetric matrices by cuSOLVER's routines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/core/buffer.hpp"
#include "gpu/core/context.hpp"
#include "gpu/core/lazy_libraries.hpp"
#include "reference/model/choices.hpp"

namespace spex::gpu {

/// Whether this build's cuSOLVER has cusolverDnXsyevBatched (since CUDA 12.6 update 2).
inline constexpr bool has_syev_batched = CUSOLVER_VERSION >= 11701;

/// Name and version of the cuSOLVER function that this build uses for `syev_batched`.
[[nodiscard]] std::string describe_syev_batched();

/// `count` symmetric matrices of order n, consecutive in device memory, lower triangles.
struct SymmetricMatrices {
  int n = 0;
  int count = 0;
  double* A = nullptr;  ///< `[count][n][n]`; overwritten by the eigenvectors
  double* u = nullptr;  ///< `[count][n]`; output: eigenvalues, ascending
};

/// cuSOLVER's routines with their work space, which is allocated once and grows on demand.
class SymmetricEigensolver {
 public:
  explicit SymmetricEigensolver(const Context& context) : context_(&context) {}

  /// Computes A = V diag(u) V^T on the context's stream; `info[k]` (device memory) becomes 0 if
  /// matrix k converged. Routines of one matrix are called for each. Without XsyevBatched,
  /// `syev_batched` is `dsyevd`, with the same result but more slowly. Throws as check() does, and
  /// std::logic_error for LAPACK's dsyevr.
  void decompose(EighRoutine routine, const SymmetricMatrices& matrices, int* info);

 private:
  void syevd(const SymmetricMatrices& matrices, int* info);
  void syevj(const SymmetricMatrices& matrices, int* info);
  void syevj_batched(const SymmetricMatrices& matrices, int* info);
  void syev_batched(const SymmetricMatrices& matrices, int* info);
  void reserve_work(std::size_t on_device, std::size_t on_host);

  const Context* context_;
  DeviceBuffer<std::byte> work_;
  std::vector<std::byte> host_work_;
};

}  // namespace spex::gpu
