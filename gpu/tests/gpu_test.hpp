// Fixtures of GPU tests.
#pragma once

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/core/context.hpp"
#include "gpu/core/copy.hpp"

namespace spex::gpu::test {

/// Provides a context on GPU 0, and copies on its stream. Programs without a GPU exit before
/// (main.cpp).
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    use_device(0);
    context_.emplace();
  }

  [[nodiscard]] const Context& context() const { return *context_; }
  [[nodiscard]] cudaStream_t stream() const { return context_->stream(); }

  template <class T>
  [[nodiscard]] DeviceBuffer<T> to_device(const std::vector<T>& values) const {
    return gpu::to_device(values, stream());
  }
  template <class T>
  [[nodiscard]] std::vector<T> to_host(const DeviceBuffer<T>& buffer) const {
    return gpu::to_host(buffer, stream());
  }
  /// A buffer of NaN (-1 as int), so that unwritten elements are noticed.
  template <class T>
  [[nodiscard]] DeviceBuffer<T> poisoned(std::size_t count) const {
    DeviceBuffer<T> buffer(count);
    fill_with_nan(buffer, stream());
    return buffer;
  }

 private:
  std::optional<Context> context_;
};

}  // namespace spex::gpu::test
