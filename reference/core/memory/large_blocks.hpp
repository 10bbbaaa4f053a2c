// A cache of large memory blocks.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>

#include "reference/core/memory/huge_pages.hpp"

namespace spex {

/// Allocates blocks of whole huge pages. Keeps released blocks, up to `max_kept` bytes, and reuses
/// them: the kernel clears each new page, which for the 0.5 GB of a frame takes longer than reading
/// the frame. Thread-safe.
class LargeBlocks {
 public:
  explicit LargeBlocks(std::size_t max_kept) : max_kept_(max_kept) {}  ///< bytes
  LargeBlocks(const LargeBlocks&) = delete;
  LargeBlocks& operator=(const LargeBlocks&) = delete;
  /// Frees the kept blocks.
  ~LargeBlocks();

  /// Returns at least `size` bytes, aligned to huge_page, or nullptr if memory is exhausted. Throws
  /// std::bad_alloc if there is no memory for the bookkeeping.
  [[nodiscard]] void* allocate(std::size_t size);
  /// Takes back a block. Returns false if `memory` did not come from allocate().
  bool release(void* memory) noexcept;
  /// Bytes of the kept blocks.
  [[nodiscard]] std::size_t kept() const;

 private:
  mutable std::mutex mutex_;
  const std::size_t max_kept_;
  std::size_t kept_ = 0;
  std::multimap<std::size_t, void*> free_;         // key: size
  std::unordered_map<void*, std::size_t> in_use_;  // value: size
};

}  // namespace spex
