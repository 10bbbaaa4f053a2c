// Large memory that is used again rather than given back to the kernel.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>

#include "reference/core/huge_pages.hpp"

namespace spex {

/// Blocks of whole huge pages. What is released is kept, up to `most_kept` bytes, for who asks for
/// as much next: the kernel clears each page that it gives out, which for the half GB of a frame
/// takes longer than to read it. For any thread.
class LargeBlocks {
 public:
  explicit LargeBlocks(std::size_t most_kept) : most_kept_(most_kept) {}  ///< bytes
  LargeBlocks(const LargeBlocks&) = delete;
  LargeBlocks& operator=(const LargeBlocks&) = delete;
  /// Frees what is kept.
  ~LargeBlocks();

  /// `size` bytes or a little more, aligned to huge_page; nullptr where there is no memory. Throws
  /// std::bad_alloc where there is none to note that.
  [[nodiscard]] void* allocate(std::size_t size);
  /// Takes back a block. False where `memory` is not one that allocate gave.
  bool release(void* memory) noexcept;
  /// Bytes that are kept for others.
  [[nodiscard]] std::size_t kept() const;

 private:
  mutable std::mutex mutex_;
  const std::size_t most_kept_;
  std::size_t kept_ = 0;
  std::multimap<std::size_t, void*> free_;         // by size
  std::unordered_map<void*, std::size_t> in_use_;  // their sizes
};

}  // namespace spex
