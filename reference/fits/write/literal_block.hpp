// Deflate blocks (RFC 1951) of literals only: Huffman codes without matches. Float32 noise has
// hardly any matches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace spex {

constexpr std::size_t literals = 256;                  ///< values of a byte
constexpr std::size_t literal_symbols = literals + 1;  ///< literals, and the end of a block
constexpr std::size_t end_of_block = literals;         ///< the symbol that ends a block

/// A Huffman code of the literals and the end of a block.
struct LiteralCode {
  std::array<std::uint32_t, literal_symbols>
      bits{};  ///< code bits, in stream order from the lowest bit
  std::array<std::uint32_t, literal_symbols> nbits{};  ///< 1 to 15
};

/// The code for bytes that occur `counts` times in `blocks` blocks, each with one end-of-block
/// symbol. Bytes with a count of 0 get a code, too. Depends only on the counts.
[[nodiscard]] LiteralCode make_literal_code(std::span<const std::uint32_t, literals> counts,
                                            std::uint32_t blocks);

/// Bits of a block header: the block type and the code.
constexpr std::size_t block_header_bits = 1110;
/// 32-bit words of a block header.
constexpr std::size_t block_header_words = (block_header_bits + 31) / 32;
/// A block header in 32-bit words, lowest bit first.
using BlockHeader = std::array<std::uint32_t, block_header_words>;
/// The header of a block with this code that is not the last block of the stream.
[[nodiscard]] BlockHeader block_header(const LiteralCode& code);

/// Bytes of `bits` bits of blocks and an empty stored block, which aligns the end to a whole byte.
[[nodiscard]] std::size_t bytes_of_blocks(std::uint64_t bits);
/// Writes the empty stored block at the end of `bytes`. The size of `bytes` is bytes_of_blocks();
/// bytes after the blocks must be 0.
void end_blocks(std::span<char> bytes);

}  // namespace spex
