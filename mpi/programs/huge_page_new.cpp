// The programs' operator new: as the library's, but large memory is of huge pages. It is a part of
// programs alone, so that a library's user keeps the operator of his choice.
#include <cstdlib>
#include <new>

#include "reference/core/huge_pages.hpp"

namespace {

constexpr std::size_t large = 2 * spex::huge_page;

void* allocate(std::size_t size) {
  if (size < large) return std::malloc(size == 0 ? 1 : size);
  const std::size_t whole = (size + spex::huge_page - 1) / spex::huge_page * spex::huge_page;
  if (whole < size) return nullptr;
  void* memory = std::aligned_alloc(spex::huge_page, whole);
  if (memory != nullptr) spex::advise_huge_pages(memory, whole);
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  for (;;) {
    if (void* memory = allocate(size)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
