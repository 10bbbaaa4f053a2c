// Large memory in pages of 2 MiB.
#pragma once

#include <cstddef>

namespace spex {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;  ///< byte; 2 MiB

/// Asks the kernel for pages of 2 MiB in the `bytes` bytes at `begin`, as far as whole pages fit:
/// a frame is hundreds of MB, and the first touch of each page of 4 KiB costs 1 us and a lock that
/// all threads share. A hint, which a kernel may not heed.
void advise_huge_pages(void* begin, std::size_t bytes) noexcept;

}  // namespace spex
