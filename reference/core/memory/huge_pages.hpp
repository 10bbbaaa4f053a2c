// Huge pages (2 MiB) for large memory.
#pragma once

#include <cstddef>

namespace spex {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;  ///< bytes; 2 MiB

/// Advises the kernel (madvise) to back the whole 2 MiB pages within `bytes` bytes at `begin` by
/// huge pages. A frame is hundreds of MB, and the first touch of each 4 KiB page takes 1 us and a
/// lock that all threads share. The kernel may ignore the hint.
void advise_huge_pages(void* begin, std::size_t bytes) noexcept;

}  // namespace spex
