#include "gpu/core/launch.hpp"

#include <cuda_runtime.h>

#include "gpu/core/check.hpp"

namespace spex::gpu {

std::size_t max_shared_memory() {
  int device = 0, most = 0;
  SPEX_GPU_CHECK(cudaGetDevice(&device));
  SPEX_GPU_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return static_cast<std::size_t>(most);
}

void allow_shared_memory(const void* kernel) {
  cudaFuncAttributes attributes{};
  SPEX_GPU_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  SPEX_GPU_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(max_shared_memory() - attributes.sharedSizeBytes)));
}

}  // namespace spex::gpu
