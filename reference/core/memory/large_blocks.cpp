#include "reference/core/memory/large_blocks.hpp"

#include <cstdlib>
#include <new>
#include <utility>

namespace spex {
namespace {

// A reused block may be up to half again as large as requested, so that images and spectra share
// blocks.
constexpr std::size_t surplus_part = 2;

std::size_t whole_pages(std::size_t size) {
  return (size + huge_page - 1) / huge_page * huge_page;
}

}  // namespace

void LargeBlocks::free_block(const FreeBlock& block) noexcept {
  if (block.pinner) block.pinner->unpin(block.memory);
  std::free(block.memory);
}

LargeBlocks::~LargeBlocks() {
  for (const auto& [size, block] : free_) free_block(block);
}

void* LargeBlocks::allocate(std::size_t size) {
  std::size_t whole = whole_pages(size);
  if (whole < size) return nullptr;
  const std::scoped_lock lock(mutex_);
  FreeBlock block;
  bool reused = false;
  if (const auto found = free_.lower_bound(whole);
      found != free_.end() && found->first <= whole + whole / surplus_part) {
    whole = found->first;
    block = std::move(found->second);
    kept_ -= whole;
    free_.erase(found);
    reused = true;
  } else {
    block.memory = std::aligned_alloc(huge_page, whole);
    if (block.memory == nullptr) return nullptr;
    advise_huge_pages(block.memory, whole);
  }
  try {
    in_use_.emplace(block.memory, Block{whole, reused, block.pinner});
  } catch (const std::bad_alloc&) {
    free_block(block);
    return nullptr;
  }
  return block.memory;
}

bool LargeBlocks::release(void* memory) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = in_use_.find(memory);
  if (found == in_use_.end()) return false;
  const std::size_t size = found->second.size;
  const FreeBlock block{memory, std::move(found->second.pinner)};
  in_use_.erase(found);
  bool keeps = kept_ + size <= max_kept_;
  try {
    if (keeps) free_.emplace(size, block);
  } catch (const std::bad_alloc&) {
    keeps = false;
  }
  if (keeps)
    kept_ += size;
  else
    free_block(block);
  return true;
}

bool LargeBlocks::pin(const void* memory, const std::shared_ptr<Pinner>& pinner, PinBlocks which) {
  std::size_t size = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = in_use_.find(memory);
    if (found == in_use_.end()) return false;
    if (found->second.pinner) return true;
    if (which == PinBlocks::reused && !found->second.reused) return false;
    size = found->second.size;
  }
  // Pinning takes milliseconds, in which others may allocate. The caller keeps the block in use.
  if (!pinner->pin(const_cast<void*>(memory), size)) return false;
  const std::scoped_lock lock(mutex_);
  in_use_.at(memory).pinner = pinner;
  return true;
}

std::size_t LargeBlocks::kept() const {
  const std::scoped_lock lock(mutex_);
  return kept_;
}

}  // namespace spex
