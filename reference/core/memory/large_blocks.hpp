// A cache of large memory blocks.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "reference/core/memory/huge_pages.hpp"

namespace spex {

/// Pins memory, so that a device can read and write it without the CPU.
class Pinner {
 public:
  Pinner() = default;
  Pinner(const Pinner&) = delete;
  Pinner& operator=(const Pinner&) = delete;
  virtual ~Pinner() = default;
  /// Pins `bytes` bytes at `memory`; false if they cannot be pinned.
  virtual bool pin(void* memory, std::size_t bytes) noexcept = 0;
  /// Unpins what pin() has pinned, before it is freed. Any thread may call this.
  virtual void unpin(void* memory) noexcept = 0;
};

/// The blocks that are worth the time of pinning.
enum class PinBlocks {
  reused,  ///< those that have been kept and reused before
  any,     ///< also new ones, whose pages the caller has used: pinning new pages takes longer
};

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
  /// Pins the block in use that begins at `memory`, if it is one of `which`. It stays pinned until
  /// it is freed, also while it is kept. Returns whether it is pinned: false too if no block in use
  /// begins there. The caller keeps the block in use meanwhile.
  bool pin(const void* memory, const std::shared_ptr<Pinner>& pinner,
           PinBlocks which = PinBlocks::reused);
  /// Bytes of the kept blocks.
  [[nodiscard]] std::size_t kept() const;

 private:
  struct Block {
    std::size_t size = 0;
    bool reused = false;
    std::shared_ptr<Pinner> pinner;  // nullptr: not pinned
  };
  struct FreeBlock {
    void* memory = nullptr;
    std::shared_ptr<Pinner> pinner;
  };
  static void free_block(const FreeBlock& block) noexcept;

  mutable std::mutex mutex_;
  const std::size_t max_kept_;
  std::size_t kept_ = 0;
  std::multimap<std::size_t, FreeBlock> free_;     // key: size
  std::unordered_map<const void*, Block> in_use_;  // key: its memory
};

}  // namespace spex
