// Blocks of a deflate stream (RFC 1951) that hold literals alone: a Huffman code of bytes without
// repeats, which float32 noise hardly has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace spex {

constexpr std::size_t literals = 256;                  ///< values of a byte
constexpr std::size_t literal_symbols = literals + 1;  ///< literals, and the end of a block
constexpr std::size_t end_of_block = literals;         ///< the symbol that ends a block

/// A Huffman code of literals and the end of a block.
struct LiteralCode {
  std::array<std::uint32_t, literal_symbols> bits{};   ///< the first bit of the stream lowest
  std::array<std::uint32_t, literal_symbols> nbits{};  ///< 1 to 15
};

/// The code for bytes that occur `counts` times in `blocks` blocks, each of which ends once. Every
/// byte has a code, bytes that do not occur too. Depends on the counts alone.
[[nodiscard]] LiteralCode make_literal_code(std::span<const std::uint32_t, literals> counts,
                                            std::uint32_t blocks);

/// Bits of a block's header: the kind of the block, and its code.
constexpr std::size_t block_header_bits = 1110;
/// Words of 32 bits that a block's header takes.
constexpr std::size_t block_header_words = (block_header_bits + 31) / 32;
/// The header of a block, 32 bits a word, the first bit lowest.
using BlockHeader = std::array<std::uint32_t, block_header_words>;
/// The header of a block of that code that does not end the stream.
[[nodiscard]] BlockHeader block_header(const LiteralCode& code);

/// Bytes of blocks of `bits` bits together, and of an empty stored block after them, so that they
/// end on a whole byte.
[[nodiscard]] std::size_t bytes_of_blocks(std::uint64_t bits);
/// Makes the empty block at the end of `bytes`, of which there are bytes_of_blocks, and which are 0
/// behind the bits of the blocks.
void end_blocks(std::span<char> bytes);

}  // namespace spex
