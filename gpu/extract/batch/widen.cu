#include "gpu/core/check.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/extract/batch/widen.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 256;

template <class From, class To>
__global__ void convert_kernel(const From* from, std::size_t count, To* to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = static_cast<To>(from[i]);
}

template <class From, class To>
void convert(const From* from, std::size_t count, To* to, cudaStream_t stream) {
  if (count == 0) return;
  convert_kernel<<<blocks_for(static_cast<long long>(count), threads), threads, 0, stream>>>(
      from, count, to);
  SPEX_LAUNCH_CHECK();
}

}  // namespace

void widen(const float* from, std::size_t count, double* to, cudaStream_t stream) {
  convert(from, count, to, stream);
}

void narrow(const double* from, std::size_t count, float* to, cudaStream_t stream) {
  convert(from, count, to, stream);
}

}  // namespace spex::gpu
