// The programs' operator new: alignment, contents, and any order of freeing.
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace spex {
namespace {

struct Block {
  unsigned char* memory;
  std::size_t size;
  std::align_val_t alignment;
  unsigned char mark;  // each byte of it
};

bool holds_its_mark(const Block& block) {
  for (std::size_t i = 0; i < block.size; ++i)
    if (block.memory[i] != block.mark) return false;
  return true;
}

Block allocate(std::size_t size, std::size_t alignment, std::size_t number) {
  const std::align_val_t align{alignment};
  const Block block{static_cast<unsigned char*>(::operator new(size, align)), size, align,
                    static_cast<unsigned char>(number % 251)};
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.memory) % alignment, 0) << size;
  for (std::size_t i = 0; i < size; ++i) block.memory[i] = block.mark;
  return block;
}

// Clang before 19 declares no sized delete.
void free(const Block& block, [[maybe_unused]] bool sized) {
#ifdef __cpp_sized_deallocation
  if (sized) return ::operator delete(block.memory, block.size, block.alignment);
#endif
  ::operator delete(block.memory, block.alignment);
}

// 4 MiB and more come from blocks of huge pages. An alignment of two huge pages does not.
TEST(HugePageNew, AlignedMemoryKeepsWhatItHolds) {
  constexpr std::size_t large = 10'000'001, two_huge_pages = std::size_t{1} << 22;
  std::vector<Block> blocks;
  for (std::size_t alignment = 16; alignment <= 4096; alignment *= 2) {
    for (std::size_t size = 0; size < 9000; size = size * 5 / 4 + 1)
      for (int repeat = 0; repeat < 3; ++repeat)
        blocks.push_back(allocate(size, alignment, blocks.size()));
    blocks.push_back(allocate(large, alignment, blocks.size()));
  }
  for (const std::size_t size : {std::size_t{1}, large})
    blocks.push_back(allocate(size, two_huge_pages, blocks.size()));
  std::mt19937 random(1);
  for (std::size_t done = 0; !blocks.empty(); ++done) {
    std::swap(blocks[random() % blocks.size()], blocks.back());
    EXPECT_TRUE(holds_its_mark(blocks.back())) << blocks.back().size;
    free(blocks.back(), done % 2 == 0);
    blocks.pop_back();
    // Memory that was freed is given again, in another size.
    if (done % 3 == 0 && done < 300) blocks.push_back(allocate(done * 7, 64, done));
  }
}

TEST(HugePageNew, UnalignedMemoryKeepsWhatItHolds) {
  std::vector<std::vector<unsigned char>> all;
  for (const std::size_t size : {0, 1, 100, 5000, 10'000'001})
    all.emplace_back(size, static_cast<unsigned char>(size % 251));
  for (const auto& one : all)
    for (const unsigned char byte : one) ASSERT_EQ(byte, one.size() % 251);
}

TEST(HugePageNew, DeletesNothing) {
  ::operator delete (nullptr, std::align_val_t{64});
  free({nullptr, 8, std::align_val_t{64}, 0}, true);
}

TEST(HugePageNew, ThrowsWhereThereIsNoMemory) {
#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer would end the program instead
  volatile std::size_t half = SIZE_MAX / 2, nearly_all = SIZE_MAX - 100;  // no compiler warns
  EXPECT_THROW(static_cast<void>(::operator new (half, std::align_val_t{64})), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(::operator new (nearly_all, std::align_val_t{1 << 22})),
               std::bad_alloc);
#endif
}

}  // namespace
}  // namespace spex
