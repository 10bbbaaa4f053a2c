#include "bench/micro/gpu/device.hpp"

namespace spex::bench {
namespace {

gpu::DeviceBuffer<char> make_filler() {
  int device = 0;
  int cache = 0;
  SPEX_GPU_CHECK(cudaGetDevice(&device));
  SPEX_GPU_CHECK(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device));
  return gpu::DeviceBuffer<char>(2 * static_cast<std::size_t>(cache));
}

}  // namespace

Device::Device() : filler_(make_filler()) {}

void Device::empty_cache() {
  SPEX_GPU_CHECK(cudaMemsetAsync(filler_.get(), 0, filler_.bytes(), stream()));
}

gpu::DeviceBuffer<double> repeat(const std::vector<double>& matrix, int count,
                                 cudaStream_t stream) {
  gpu::DeviceBuffer<double> buffer(matrix.size() * static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k)
    SPEX_GPU_CHECK(cudaMemcpyAsync(buffer.get() + static_cast<std::size_t>(k) * matrix.size(),
                                   matrix.data(), matrix.size() * sizeof(double),
                                   cudaMemcpyHostToDevice, stream));
  SPEX_GPU_CHECK(cudaStreamSynchronize(stream));
  return buffer;
}

}  // namespace spex::bench
