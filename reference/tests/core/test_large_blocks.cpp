#include <cstdint>
#include <limits>
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
