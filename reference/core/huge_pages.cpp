#include "reference/core/huge_pages.hpp"

#include <cstdint>

#include <sys/mman.h>

namespace spex {

void advise_huge_pages(void* begin, std::size_t bytes) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t last = (address + bytes) / huge_page * huge_page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace spex
