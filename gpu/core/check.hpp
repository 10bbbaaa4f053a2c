// Checks of calls to CUDA, cuBLAS and cuSOLVER: what was called, where, and the library's own text.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

namespace spex::gpu {

/// Throws where the status is not success: Error(device) where the context is lost, after which
/// nothing on that GPU works any more, else Error(internal). The reporters of SPEX_..._CHECK.
void check(cudaError_t status, const char* call, const char* file, int line);
void check(cublasStatus_t status, const char* call, const char* file, int line);
void check(cusolverStatus_t status, const char* call, const char* file, int line);

/// Whether an error of CUDA leaves its context, and with it every handle and buffer of the process
/// on that GPU, of no more use: a kernel's illegal access, a GPU that fell off the bus. Not so
/// where memory runs out or an argument is wrong.
[[nodiscard]] bool loses_context(cudaError_t status) noexcept;

/// For destructors: logs instead of throwing.
void log_failure(cudaError_t status, const char* call) noexcept;

}  // namespace spex::gpu

/// SPEX_GPU_CHECK(cudaMalloc(...)), (cublasDgemm(...)), (cusolverDnDpotrf...).
#define SPEX_GPU_CHECK(call) ::spex::gpu::check((call), #call, __FILE__, __LINE__)
/// After a kernel launch: the launch's own errors; what the kernel does wrong shows at the next
/// synchronization.
#define SPEX_LAUNCH_CHECK() \
  ::spex::gpu::check(cudaGetLastError(), "kernel launch", __FILE__, __LINE__)
