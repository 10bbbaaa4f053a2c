#include <gmock/gmock.h>

#include "gpu/extract/batch/widen.hpp"
#include "gpu/tests/gpu_test.hpp"

namespace spex::gpu {
namespace {

using Widen = test::GpuTest;

TEST_F(Widen, ConvertsExactlyCountNumbers) {
  for (const std::size_t count : {0, 1, 31, 256, 257, 1000}) {
    std::vector<float> values(count);
    std::vector<double> expected(count + 1, -7);
    for (std::size_t i = 0; i < count; ++i)
      expected[i] = values[i] = 0.1F * static_cast<float>(i) - 3.0F;
    const DeviceBuffer<float> from = to_device(values);
    const DeviceBuffer<double> to = to_device(std::vector<double>(count + 1, -7));
    widen(from.get(), count, to.get(), stream());
    EXPECT_EQ(to_host(to), expected) << count;
  }
}

TEST_F(Widen, NarrowRoundsToNearest) {
  const std::vector<double> values = {0,           -1.5,          1.0 / 3,  1e-50,
                                      1 + 0x1p-24, 1 + 0x1.8p-23, 123456789};
  const DeviceBuffer<double> from = to_device(values);
  const DeviceBuffer<float> to = to_device(std::vector<float>(values.size() + 1, -7));
  narrow(from.get(), values.size(), to.get(), stream());
  std::vector<float> expected(values.begin(), values.end());
  expected.push_back(-7);
  EXPECT_EQ(to_host(to), expected);
}

}  // namespace
}  // namespace spex::gpu
