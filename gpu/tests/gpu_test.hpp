// What tests on a GPU share.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "gpu/core/buffer.hpp"
#include "gpu/core/context.hpp"

namespace spex::gpu::test {

/// Skips the test, saying why, where there is no GPU.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << "there is no GPU here";
    use_device(0);
  }
};

/// Copies to a new device buffer, and from one.
template <class T>
DeviceBuffer<T> to_device(const std::vector<T>& from) {
  DeviceBuffer<T> buffer(from.size());
  SPEX_GPU_CHECK(
      cudaMemcpy(buffer.get(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return buffer;
}
template <class T>
std::vector<T> to_host(const DeviceBuffer<T>& buffer) {
  std::vector<T> values(buffer.count());
  SPEX_GPU_CHECK(cudaMemcpy(values.data(), buffer.get(), buffer.bytes(), cudaMemcpyDeviceToHost));
  return values;
}

}  // namespace spex::gpu::test
