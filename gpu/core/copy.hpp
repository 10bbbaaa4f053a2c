// Copies vectors between host and device.
#pragma once

#include <vector>

#include "gpu/core/buffer.hpp"

namespace spex::gpu {

/// Copies values to a new device buffer on the stream, and waits.
template <class T>
[[nodiscard]] DeviceBuffer<T> to_device(const std::vector<T>& values, cudaStream_t stream) {
  DeviceBuffer<T> buffer(values.size());
  SPEX_GPU_CHECK(
      cudaMemcpyAsync(buffer.get(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice, stream));
  SPEX_GPU_CHECK(cudaStreamSynchronize(stream));
  return buffer;
}

/// Copies values to device memory. `from` must live until the stream has done so.
template <class T>
void copy_to(const std::vector<T>& from, T* to, cudaStream_t stream) {
  SPEX_GPU_CHECK(
      cudaMemcpyAsync(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream));
}

/// Sets the bytes of the first `count` numbers of a buffer to 0.
template <class T>
void clear(const DeviceBuffer<T>& buffer, std::size_t count, cudaStream_t stream) {
  SPEX_GPU_CHECK(cudaMemsetAsync(buffer.get(), 0, count * sizeof(T), stream));
}

/// Copies `count` numbers from the device to the host on the stream, and waits.
template <class T>
[[nodiscard]] std::vector<T> to_host(const T* from, std::size_t count, cudaStream_t stream) {
  std::vector<T> values(count);
  SPEX_GPU_CHECK(
      cudaMemcpyAsync(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream));
  SPEX_GPU_CHECK(cudaStreamSynchronize(stream));
  return values;
}
template <class T>
[[nodiscard]] std::vector<T> to_host(const DeviceBuffer<T>& buffer, cudaStream_t stream) {
  return to_host<T>(buffer.get(), buffer.count(), stream);
}

}  // namespace spex::gpu
