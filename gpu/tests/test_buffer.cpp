#include "gpu/core/buffer.hpp"
#include "gpu/extract/batch/widen.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/error.hpp"

namespace spex::gpu {
namespace {

using Buffers = test::GpuTest;

// CUDA keeps an out-of-memory error until it is read; the next launch must not report it.
TEST_F(Buffers, OutOfMemoryDoesNotAffectTheNextLaunch) {
  try {
    const DeviceBuffer<char> buffer(std::size_t{1} << 50);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal) << "the GPU is of use still";
  }
  const DeviceBuffer<float> from = to_device<float>({1, 2, 3});
  const DeviceBuffer<double> to = poisoned<double>(3);
  widen(from.get(), 3, to.get(), stream());
  EXPECT_EQ(to_host(to), (std::vector<double>{1, 2, 3}));
}

// After a failed allocation the buffer is empty and can grow to a smaller size.
TEST_F(Buffers, FailedGrowthLeavesAnEmptyBuffer) {
  DeviceBuffer<char> buffer(100);
  EXPECT_THROW(reserve(buffer, std::size_t{1} << 50), Error);
  EXPECT_EQ(buffer.count(), 0U);
  EXPECT_TRUE(reserve(buffer, 200));
  EXPECT_FALSE(reserve(buffer, 150));
  EXPECT_EQ(buffer.count(), 225U) << "an eighth more";
  EXPECT_FALSE(reserve(buffer, 225, 500));
  EXPECT_TRUE(reserve(buffer, 226, 500));
  EXPECT_EQ(buffer.count(), 500U);
}

}  // namespace
}  // namespace spex::gpu
