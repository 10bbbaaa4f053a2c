// Uncompressed HDUs, assembled byte by byte.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reference/fits/bytes.hpp"

namespace spex {

/// Bytes of a FITS block; headers and data take whole blocks.
inline constexpr std::size_t fits_block = 2880;
/// `size` rounded up to whole blocks, bytes.
[[nodiscard]] constexpr std::size_t whole_blocks(std::size_t size) {
  return (size + fits_block - 1) / fits_block * fits_block;
}

/// Limit of the compression ratio: deflate reaches 1032, Rice 341. A larger ratio means a damaged
/// file.
constexpr long long max_unpacked_a_byte = 1100;

/// Appends the cards and END, padded to whole blocks.
void append_header(Bytes& out, const std::vector<std::string>& cards);
/// Pads the data that begin at `begin` to whole blocks.
void pad_data(Bytes& out, std::size_t begin);
/// Appends `size` zero bytes and returns them.
[[nodiscard]] std::span<unsigned char> append_data(Bytes& out, long long size);

}  // namespace spex
