// Finds where blocks of a deflate stream begin (RFC 1951).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace spex {

/// More bytes than a dynamic block's header has: 17 bits, 19 lengths of 3 bits, 316 lengths of at
/// most 14 bits.
inline constexpr std::size_t max_header_bytes = 576;

/// The first bit of `bytes`, from bit `from` on, where a dynamic block that is not the last one may
/// begin: its header describes complete Huffman codes. Looks only where a whole header fits. Such
/// bits are all but certain to begin a block: a random bit does so once in 10^10 or less.
[[nodiscard]] std::optional<std::size_t> find_dynamic_block(std::span<const char> bytes,
                                                            std::size_t from = 0);

}  // namespace spex
