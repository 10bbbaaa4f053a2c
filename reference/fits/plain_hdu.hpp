// Plain HDUs that are put together byte by byte.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reference/fits/bytes.hpp"

namespace spex {

/// Bytes of a block: headers and data are whole ones.
inline constexpr std::size_t fits_block = 2880;
/// The bytes of the whole blocks that `size` bytes take.
[[nodiscard]] constexpr std::size_t whole_blocks(std::size_t size) {
  return (size + fits_block - 1) / fits_block * fits_block;
}

/// Deflate makes at most 1032 bytes of one, the Rice code 341: what claims more is damaged.
constexpr long long most_unpacked_a_byte = 1100;

/// Appends the cards and END, padded to whole blocks.
void append_header(Bytes& out, const std::vector<std::string>& cards);
/// Pads what was appended behind `begin` to whole blocks.
void pad_data(Bytes& out, std::size_t begin);
/// Appends `size` zero bytes and returns them.
[[nodiscard]] std::span<unsigned char> append_data(Bytes& out, long long size);

}  // namespace spex
