#include <gmock/gmock.h>

#include "gpu/tests/gpu_test.hpp"

namespace spex::gpu {
namespace {

using Contexts = test::GpuTest;

// The copy on the other stream does not wait by itself.
TEST_F(Contexts, WaitForWaitsForAllOfAStream) {
  constexpr std::size_t count = std::size_t{1} << 27;
  constexpr int rounds = 1000;  // tens of milliseconds
  constexpr int values =
      251;  // byte values; chosen so that the last round's value differs from the others
  const DeviceBuffer<unsigned char> buffer(count);
  for (int round = 0; round <= rounds; ++round)
    SPEX_GPU_CHECK(cudaMemsetAsync(buffer.get(), round % values, buffer.bytes(), stream()));
  EXPECT_EQ(cudaStreamQuery(stream()), cudaErrorNotReady) << "too little work to wait for";
  wait_for(stream());
  const Context other;
  const std::vector<unsigned char> last =
      gpu::to_host<unsigned char>(buffer.get() + count - 16, 16, other.stream());
  EXPECT_THAT(last, testing::Each(rounds % values));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the next launch would be blamed";
}

}  // namespace
}  // namespace spex::gpu
