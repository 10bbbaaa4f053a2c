// Eigendecompositions of symmetric matrices by cuSOLVER's divide and conquer. Batches use
// cusolverDnXsyevBatched (since CUDA 12.6 update 2); with older CUDA the matrices are decomposed
// one after another, with the same result but more slowly.
#pragma once

#include <cstddef>
#include <string>

#include "gpu/core/context.hpp"

namespace spex::gpu {

/// Whether this build's cuSOLVER has cusolverDnXsyevBatched.
inline constexpr bool has_syev_batched = CUSOLVER_VERSION >= 11701;

/// Name and version of the cuSOLVER function that this build uses for batches.
[[nodiscard]] std::string describe_syev_batched();

/// `count` symmetric matrices of order n, consecutive in device memory, lower triangles.
struct SymmetricMatrices {
  int n = 0;
  int count = 0;
  double* A = nullptr;  ///< `[count][n][n]`; overwritten by the eigenvectors
  double* u = nullptr;  ///< `[count][n]`; output: eigenvalues, ascending
};

/// How matrices are passed to cuSOLVER.
enum class SyevCalls {
  each,  ///< one call per matrix
  one,   ///< one call for all matrices if cuSOLVER supports it, else `each`
};

/// Sizes of the work space, bytes.
struct SyevRoom {
  std::size_t on_device = 0, on_host = 0;
};
/// The work space that cuSOLVER needs for these matrices. Throws as check() does.
[[nodiscard]] SyevRoom syev_room(const Context& context, SyevCalls calls,
                                 const SymmetricMatrices& matrices);

/// Computes A = V diag(u) V^T on the context's stream; `info[k]` becomes 0 if matrix k converged.
/// The work space must have the sizes of syev_room for the same arguments. Throws as check() does.
void syev(const Context& context, SyevCalls calls, const SymmetricMatrices& matrices,
          const SyevRoom& room, std::byte* on_device, std::byte* on_host, int* info);

}  // namespace spex::gpu
