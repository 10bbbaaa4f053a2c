// The programs' operator new: large memory uses huge pages and is reused. Linked only into
// programs, so that users of the library can choose their own operator new.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include <unistd.h>

#include "reference/core/memory/large_blocks.hpp"
#include "reference/core/memory/pin_large_block.hpp"

namespace {

constexpr std::size_t large = 2 * spex::huge_page;
// Limit of kept memory: the memory freed between several frames, at most a share of the node's
// memory.
std::size_t max_kept() {
  constexpr std::size_t part = 8, most = 1'500'000'000;
  const long pages = sysconf(_SC_PHYS_PAGES);  // -1 if unknown: nothing is kept then
  return std::min(most, static_cast<std::size_t>(std::max(pages, 0L)) *
                            static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / part);
}

// Never destroyed: other static objects may release memory later.
spex::LargeBlocks& large_blocks() {
  alignas(spex::LargeBlocks) static unsigned char room[sizeof(spex::LargeBlocks)];
  static auto* const blocks = new (room) spex::LargeBlocks(max_kept());
  return *blocks;
}

void* allocate(std::size_t size) {
  if (size >= large) return large_blocks().allocate(size);
  return std::malloc(size == 0 ? 1 : size);
}

// `alignment` is a power of two; large blocks are aligned to huge pages.
void* allocate(std::size_t size, std::size_t alignment) {
  if (size >= large && alignment <= spex::huge_page) return large_blocks().allocate(size);
  // aligned_alloc would cut a larger block each time. The address that malloc gave lies before the
  // memory, where malloc's own alignment leaves room.
  const std::size_t room = std::max(alignment, sizeof(void*));
  if (size > SIZE_MAX - room) return nullptr;
  auto* const given = static_cast<unsigned char*>(std::malloc(size + room));
  if (given == nullptr) return nullptr;
  unsigned char* const aligned = given + room - reinterpret_cast<std::uintptr_t>(given) % room;
  std::memcpy(aligned - sizeof(void*), &given, sizeof(void*));
  return aligned;
}

// Calls `allocate_once`, and again after the new-handler has freed memory.
template <class Allocate>
void* allocate_or_throw(const Allocate& allocate_once) {
  for (;;) {
    if (void* memory = allocate_once()) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

// Whether it was a large block.
bool release_large(void* memory) {
  const bool may_be_large = reinterpret_cast<std::uintptr_t>(memory) % spex::huge_page == 0;
  return memory != nullptr && may_be_large && large_blocks().release(memory);
}

void release(void* memory) {
  if (!release_large(memory)) std::free(memory);
}

void release_aligned(void* memory) {
  if (memory == nullptr || release_large(memory)) return;
  void* given;
  std::memcpy(&given, static_cast<unsigned char*>(memory) - sizeof(void*), sizeof(void*));
  std::free(given);
}

}  // namespace

bool spex::pin_large_block(const void* memory, const std::shared_ptr<Pinner>& pinner,
                           PinBlocks which) {
  return large_blocks().pin(memory, pinner, which);
}

void* operator new(std::size_t size) {
  return allocate_or_throw([=] { return allocate(size); });
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw([=] { return allocate(size, static_cast<std::size_t>(alignment)); });
}

void operator delete(void* memory) noexcept {
  release(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept {
  release(memory);
}

void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  release_aligned(memory);
}

void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  release_aligned(memory);
}
