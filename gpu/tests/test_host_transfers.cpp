#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/core/context.hpp"
#include "gpu/core/copy.hpp"
#include "gpu/core/host_pinner.hpp"
#include "gpu/extract/batch/host_transfers.hpp"
#include "reference/core/memory/large_blocks.hpp"

namespace spex::gpu {
namespace {

// Three pieces and a part of one.
constexpr std::size_t nvalue = 3 * HostTransfers::piece / sizeof(float) + 17;

std::vector<float> numbers() {
  std::vector<float> values(nvalue);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

bool is_pinned(const void* memory) {
  cudaPointerAttributes attributes{};
  SPEX_GPU_CHECK(cudaPointerGetAttributes(&attributes, memory));
  return attributes.type == cudaMemoryTypeHost;
}

TEST(HostTransfers, PinnedAndOtherMemoryGiveTheSame) {
  use_device(0);
  const Context context;
  const cudaStream_t stream = context.stream();
  HostPinner pinner(0);
  const std::vector<float> values = numbers();
  for (const bool pins : {false, true}) {
    std::vector<const void*> pinned;
    HostTransfers transfers([&](const void* memory) {
      if (!pins) return false;
      if (!pinner.pin(const_cast<void*>(memory), nvalue * sizeof(float))) return false;
      pinned.push_back(memory);
      return true;
    });
    DeviceBuffer<float> device(nvalue);
    transfers.send_large(values, device.get(), stream);
    transfers.wait();
    EXPECT_EQ(to_host(device, stream), values);
    std::vector<float> back(nvalue);
    transfers.fetch(device.get(), std::span(back), stream);
    EXPECT_EQ(back, values);
    EXPECT_EQ(pinned.size(), pins ? 2U : 0U);
    for (const void* memory : pinned) pinner.unpin(const_cast<void*>(memory));
  }
  HostTransfers without({});
  DeviceBuffer<float> device(nvalue);
  without.send_large(values, device.get(), stream);
  EXPECT_EQ(to_host(device, stream), values);
}

TEST(HostPinner, PinsLargeBlocksUntilTheyAreFreed) {
  use_device(0);
  const Context context;
  constexpr std::size_t size = 4 * huge_page;
  const auto pinner = std::make_shared<HostPinner>(0);
  {
    LargeBlocks blocks(size);
    static_cast<void>(blocks.release(blocks.allocate(size)));
    auto* const block = static_cast<char*>(blocks.allocate(size));
    EXPECT_FALSE(is_pinned(block));
    EXPECT_TRUE(blocks.pin(block, pinner));
    EXPECT_TRUE(is_pinned(block));
    EXPECT_TRUE(is_pinned(block + size - 1));
    static_cast<void>(blocks.release(block));
    EXPECT_TRUE(is_pinned(block)) << "the block is kept";
  }
  std::vector<char> other(size);
  EXPECT_FALSE(pinner->pin(nullptr, size)) << "there is no memory";
  EXPECT_FALSE(is_pinned(other.data())) << "the failure was cleared";
  EXPECT_TRUE(pinner->pin(other.data(), size));
  pinner->unpin(other.data());
  EXPECT_FALSE(is_pinned(other.data()));
}

}  // namespace
}  // namespace spex::gpu
