#include "reference/core/memory/large_blocks.hpp"

#include <cstdlib>
#include <new>

namespace spex {
namespace {

// A reused block may be up to half again as large as requested, so that images and spectra share
// blocks.
constexpr std::size_t surplus_part = 2;

std::size_t whole_pages(std::size_t size) {
  return (size + huge_page - 1) / huge_page * huge_page;
}

}  // namespace

LargeBlocks::~LargeBlocks() {
  for (const auto& [size, memory] : free_) std::free(memory);
}

void* LargeBlocks::allocate(std::size_t size) {
  std::size_t whole = whole_pages(size);
  if (whole < size) return nullptr;
  const std::scoped_lock lock(mutex_);
  void* memory = nullptr;
  if (const auto found = free_.lower_bound(whole);
      found != free_.end() && found->first <= whole + whole / surplus_part) {
    whole = found->first;
    memory = found->second;
    kept_ -= whole;
    free_.erase(found);
  } else {
    memory = std::aligned_alloc(huge_page, whole);
    if (memory == nullptr) return nullptr;
    advise_huge_pages(memory, whole);
  }
  try {
    in_use_.emplace(memory, whole);
  } catch (const std::bad_alloc&) {
    std::free(memory);
    return nullptr;
  }
  return memory;
}

bool LargeBlocks::release(void* memory) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = in_use_.find(memory);
  if (found == in_use_.end()) return false;
  const std::size_t size = found->second;
  in_use_.erase(found);
  bool keeps = kept_ + size <= max_kept_;
  try {
    if (keeps) free_.emplace(size, memory);
  } catch (const std::bad_alloc&) {
    keeps = false;
  }
  if (keeps)
    kept_ += size;
  else
    std::free(memory);
  return true;
}

std::size_t LargeBlocks::kept() const {
  const std::scoped_lock lock(mutex_);
  return kept_;
}

}  // namespace spex
