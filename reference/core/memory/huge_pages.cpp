#include "reference/core/memory/huge_pages.hpp"

#include <memory>

#include <sys/mman.h>

namespace spex {

void advise_huge_pages(void* begin, std::size_t bytes) noexcept {
  void* first = begin;
  if (std::align(huge_page, huge_page, first, bytes) != nullptr)
    madvise(first, bytes / huge_page * huge_page, MADV_HUGEPAGE);
}

}  // namespace spex
