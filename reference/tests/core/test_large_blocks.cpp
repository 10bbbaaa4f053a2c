#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "reference/core/memory/large_blocks.hpp"

namespace spex {
namespace {

constexpr std::size_t size = 10 * huge_page;

TEST(LargeBlocks, GivesWholePagesAndReusesThem) {
  LargeBlocks blocks(4 * size);
  void* const first = blocks.allocate(size - 5);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % huge_page, 0);
  void* const second = blocks.allocate(size);
  EXPECT_NE(second, first);
  EXPECT_TRUE(blocks.release(first));
  EXPECT_EQ(blocks.kept(), size);
  EXPECT_EQ(blocks.allocate(size), first);
  EXPECT_EQ(blocks.kept(), 0);
  EXPECT_TRUE(blocks.release(first));
  EXPECT_TRUE(blocks.release(second));
}

TEST(LargeBlocks, ReusesBlocksForSlightlySmallerSizes) {
  LargeBlocks blocks(4 * size);
  void* const block = blocks.allocate(size);
  blocks.release(block);
  void* const much_less = blocks.allocate(size / 2);
  EXPECT_NE(much_less, block);
  EXPECT_EQ(blocks.allocate(size - huge_page), block);
  blocks.release(much_less);
  blocks.release(block);
  EXPECT_EQ(blocks.kept(), size + size / 2) << "the block keeps its size";
}

TEST(LargeBlocks, KeepsAtMostItsLimit) {
  LargeBlocks blocks(size);
  void* const first = blocks.allocate(size);
  void* const second = blocks.allocate(size);
  blocks.release(first);
  blocks.release(second);
  EXPECT_EQ(blocks.kept(), size);
}

TEST(LargeBlocks, RecognizesItsBlocks) {
  LargeBlocks blocks(size);
  int other = 0;
  EXPECT_FALSE(blocks.release(&other));
  void* const block = blocks.allocate(size);
  EXPECT_TRUE(blocks.release(block));
  EXPECT_FALSE(blocks.release(block));
  EXPECT_EQ(blocks.allocate(std::numeric_limits<std::size_t>::max()), nullptr);
#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer would end the program instead
  EXPECT_EQ(blocks.allocate(std::numeric_limits<std::size_t>::max() / 2), nullptr);
#endif
}

// Counts what it pins.
class CountingPinner : public Pinner {
 public:
  bool pin(void* memory, std::size_t bytes) noexcept override {
    if (refuses) return false;
    return pinned.emplace(memory, bytes).second;
  }
  void unpin(void* memory) noexcept override { EXPECT_EQ(pinned.erase(memory), 1); }

  std::map<void*, std::size_t> pinned;
  bool refuses = false;
};

TEST(LargeBlocks, PinsABlockUntilItIsFreed) {
  const auto pinner = std::make_shared<CountingPinner>();
  {
    LargeBlocks blocks(size);
    void* const block = blocks.allocate(size);
    EXPECT_FALSE(blocks.pin(block, pinner)) << "perhaps it is never used again";
    blocks.release(block);
    ASSERT_EQ(blocks.allocate(size), block);
    EXPECT_TRUE(blocks.pin(block, pinner));
    EXPECT_TRUE(blocks.pin(block, pinner)) << "once";
    EXPECT_EQ(pinner->pinned, (std::map<void*, std::size_t>{{block, size}}));
    blocks.release(block);
    EXPECT_EQ(pinner->pinned.size(), 1) << "a kept block stays pinned";
    EXPECT_FALSE(blocks.pin(block, pinner)) << "a kept block is nobody's";
    EXPECT_EQ(blocks.allocate(size), block);
    EXPECT_TRUE(blocks.pin(block, pinner));
    void* const other = blocks.allocate(size);
    blocks.release(other);
    blocks.release(block);
    EXPECT_TRUE(pinner->pinned.empty()) << "what is more than is kept is freed";
    EXPECT_EQ(blocks.allocate(size), other);
    EXPECT_TRUE(blocks.pin(other, pinner));
    blocks.release(other);
  }
  EXPECT_TRUE(pinner->pinned.empty()) << "all kept blocks are freed";
}

TEST(LargeBlocks, PinsANewBlockIfAsked) {
  const auto pinner = std::make_shared<CountingPinner>();
  LargeBlocks blocks(size);
  void* const block = blocks.allocate(size);
  EXPECT_TRUE(blocks.pin(block, pinner, PinBlocks::any));
  EXPECT_EQ(pinner->pinned.size(), 1);
  blocks.release(block);
}

TEST(LargeBlocks, DoesNotPinWhatIsNotItsOwn) {
  const auto pinner = std::make_shared<CountingPinner>();
  LargeBlocks blocks(size);
  blocks.release(blocks.allocate(size));
  auto* const block = static_cast<char*>(blocks.allocate(size));
  EXPECT_FALSE(blocks.pin(block + huge_page, pinner));
  EXPECT_FALSE(blocks.pin(pinner.get(), pinner));
  pinner->refuses = true;
  EXPECT_FALSE(blocks.pin(block, pinner));
  pinner->refuses = false;
  EXPECT_TRUE(blocks.pin(block, pinner)) << "a later attempt may succeed";
  blocks.release(block);
}

TEST(LargeBlocks, IsThreadSafe) {
  LargeBlocks blocks(8 * size);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&blocks, t] {
        for (int repeat = 0; repeat < 200; ++repeat) {
          auto* const mine = static_cast<int*>(blocks.allocate(size + t * huge_page));
          *mine = t;
          std::this_thread::yield();
          EXPECT_EQ(*mine, t);
          EXPECT_TRUE(blocks.release(mine));
        }
      });
  }
  EXPECT_LE(blocks.kept(), 8 * size);
}

}  // namespace
}  // namespace spex
