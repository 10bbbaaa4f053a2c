#include "gpu/core/launch.hpp"

#include <cuda_runtime.h>

#include "gpu/core/check.hpp"

namespace spex::gpu {

void allow_shared_memory(const void* kernel) {
  int device = 0, most = 0;
  SPEX_GPU_CHECK(cudaGetDevice(&device));
  SPEX_GPU_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  cudaFuncAttributes attributes{};
  SPEX_GPU_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  SPEX_GPU_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      most - static_cast<int>(attributes.sharedSizeBytes)));
}

}  // namespace spex::gpu
