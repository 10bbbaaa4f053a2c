#include <gmock/gmock.h>

#include "gpu/tests/gpu_test.hpp"

namespace spex::gpu {
namespace {

using Contexts = test::GpuTest;

// The copy on the other stream waits for nothing itself.
TEST_F(Contexts, WaitForWaitsForAllOfAStream) {
  constexpr std::size_t count = std::size_t{1} << 27;
  constexpr int rounds = 50;  // tens of milliseconds
  const DeviceBuffer<unsigned char> buffer(count);
  for (int value = 1; value <= rounds; ++value)
    SPEX_GPU_CHECK(cudaMemsetAsync(buffer.get(), value, buffer.bytes(), stream()));
  EXPECT_EQ(cudaStreamQuery(stream()), cudaErrorNotReady) << "too little work to wait for";
  wait_for(stream());
  const Context other;
  const std::vector<unsigned char> last =
      gpu::to_host<unsigned char>(buffer.get() + count - 16, 16, other.stream());
  EXPECT_THAT(last, testing::Each(rounds));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the next launch would be blamed";
}

}  // namespace
}  // namespace spex::gpu
