// cuSOLVER's eigendecompositions by divide and conquer, of one symmetric matrix or of many. Many in
// one call take cusolverDnXsyevBatched, which CUDA has since 12.6 update 2; with an earlier CUDA
// they go one after the other, with the same meaning and in more time.
#pragma once

#include <cstddef>
#include <string>

#include "gpu/core/context.hpp"

namespace spex::gpu {

/// Whether this build's cuSOLVER has cusolverDnXsyevBatched.
inline constexpr bool has_syev_batched = CUSOLVER_VERSION >= 11701;

/// What a batch is decomposed by in this build: cuSOLVER's function, and its version.
[[nodiscard]] std::string describe_syev_batched();

/// `count` symmetric matrices of order n, one behind the other in device memory, lower triangles.
struct SymmetricMatrices {
  int n = 0;
  int count = 0;
  double* A = nullptr;  ///< `[count][n][n]`; becomes the eigenvectors
  double* u = nullptr;  ///< `[count][n]`; the eigenvalues, ascending
};

/// How cuSOLVER is given them.
enum class SyevCalls {
  each,  ///< one call a matrix
  one,   ///< one call for all, where cuSOLVER has it; else as `each`
};

/// Work space, bytes.
struct SyevRoom {
  std::size_t on_device = 0, on_host = 0;
};
/// What cuSOLVER asks for to decompose these matrices so. Throws as check() does.
[[nodiscard]] SyevRoom syev_room(const Context& context, SyevCalls calls,
                                 const SymmetricMatrices& matrices);

/// A = V diag(u) V^T, put on the context's stream; `info[k]` is 0 where matrix k converged. The
/// work space is of `room`, that of syev_room for the same call. Throws as check() does.
void syev(const Context& context, SyevCalls calls, const SymmetricMatrices& matrices,
          const SyevRoom& room, std::byte* on_device, std::byte* on_host, int* info);

}  // namespace spex::gpu
