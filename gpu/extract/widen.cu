#include "gpu/core/check.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/extract/widen.hpp"

namespace spex::gpu {
namespace {

__global__ void widen_kernel(const float* from, std::size_t count, double* to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

}  // namespace

void widen(const float* from, std::size_t count, double* to, cudaStream_t stream) {
  constexpr int threads = 256;
  if (count == 0) return;
  widen_kernel<<<blocks_for(static_cast<long long>(count), threads), threads, 0, stream>>>(
      from, count, to);
  SPEX_GPU_CHECK(cudaGetLastError());
}

}  // namespace spex::gpu
