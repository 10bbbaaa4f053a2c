// Checks calls of CUDA; errors state the call, its source location and the library's message. For
// calls of cuBLAS and cuSOLVER include gpu/core/lazy_libraries.hpp.
#pragma once

#include <cuda_runtime.h>

namespace spex::gpu {

/// Throws unless the status is success: Error(device) if the context is lost, so that the GPU is
/// unusable for this process, else Error(internal). Used by SPEX_..._CHECK.
void check(cudaError_t status, const char* call, const char* file, int line);

/// Whether a CUDA error destroys the context, and with it all handles and buffers of the process on
/// that GPU: a kernel's illegal access, a GPU that fell off the bus. Exhausted memory and wrong
/// arguments do not.
[[nodiscard]] bool loses_context(cudaError_t status) noexcept;

/// Logs an error instead of throwing, for destructors.
void log_failure(cudaError_t status, const char* call) noexcept;

}  // namespace spex::gpu

/// SPEX_GPU_CHECK(cudaMalloc(...)), (cublasDgemm(...)), (cusolverDnDpotrf...).
#define SPEX_GPU_CHECK(call) ::spex::gpu::check((call), #call, __FILE__, __LINE__)
/// Checks the launch itself after a kernel launch. Errors in the kernel appear at the next
/// synchronization.
#define SPEX_LAUNCH_CHECK() \
  ::spex::gpu::check(cudaGetLastError(), "kernel launch", __FILE__, __LINE__)
