// Deflate by literals.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <endian.h>
#include <zlib.h>

#include "reference/fits/write/gzip.hpp"
#include "reference/fits/write/literal_block.hpp"

namespace spex {
namespace {

using Counts = std::array<std::uint32_t, literals>;

Counts counts_of(std::span<const unsigned char> bytes) {
  // Equal bytes in a row would wait for each other in one histogram.
  constexpr std::size_t histograms = 4;
  std::array<Counts, histograms> counts{};
  std::size_t k = 0;
  for (; k + histograms <= bytes.size(); k += histograms)
    for (std::size_t h = 0; h < histograms; ++h) ++counts[h][bytes[k + h]];
  for (; k < bytes.size(); ++k) ++counts[0][bytes[k]];
  for (std::size_t byte = 0; byte < literals; ++byte)
    for (std::size_t h = 1; h < histograms; ++h) counts[0][byte] += counts[h][byte];
  return counts[0];
}

std::uint64_t bits_of(const Counts& counts, const LiteralCode& code) {
  std::uint64_t bits = block_header_bits + code.nbits[end_of_block];
  for (std::size_t byte = 0; byte < literals; ++byte)
    bits += std::uint64_t{counts[byte]} * code.nbits[byte];
  return bits;
}

// Appends bits to bytes of zeros; a write touches up to 8 bytes from the byte of its first bit on.
class BitWriter {
 public:
  explicit BitWriter(char* to) : to_(to) {}

  // At most 48 bits between two calls of flush().
  void put(std::uint32_t value, std::uint32_t nbits) {
    bits_ |= std::uint64_t{value} << nbits_;
    nbits_ += nbits;
  }
  void flush() {
    const std::uint64_t bytes = htole64(bits_);
    std::memcpy(to_, &bytes, sizeof bytes);
    to_ += nbits_ / 8;
    bits_ >>= nbits_ & ~7U;
    nbits_ %= 8;
  }

 private:
  char* to_;
  std::uint64_t bits_ = 0;
  std::uint32_t nbits_ = 0;
};

void write_block(std::span<const unsigned char> bytes, const LiteralCode& code, char* to) {
  BitWriter writer(to);
  const BlockHeader header = block_header(code);
  for (std::size_t first = 0; first < block_header_bits; first += 32) {
    writer.put(header[first / 32],
               static_cast<std::uint32_t>(std::min<std::size_t>(32, block_header_bits - first)));
    writer.flush();
  }
  constexpr std::size_t codes_a_flush = 3;  // of at most 15 bits each
  std::size_t k = 0;
  for (; k + codes_a_flush <= bytes.size(); k += codes_a_flush) {
    for (std::size_t i = 0; i < codes_a_flush; ++i)
      writer.put(code.bits[bytes[k + i]], code.nbits[bytes[k + i]]);
    writer.flush();
  }
  for (; k < bytes.size(); ++k) writer.put(code.bits[bytes[k]], code.nbits[bytes[k]]);
  writer.flush();
  writer.put(code.bits[end_of_block], code.nbits[end_of_block]);
  writer.flush();
}

}  // namespace

bool deflate_literals(std::span<const char> piece, bool last, DeflatedPiece& to) {
  const std::span bytes(reinterpret_cast<const unsigned char*>(piece.data()), piece.size());
  const Counts counts = counts_of(bytes);
  const LiteralCode code = make_literal_code(counts, 1);
  const std::uint64_t bits = bits_of(counts, code);
  constexpr std::uint64_t few_bits = 4;  // a byte; tables, masks and zeros
  if (bits < few_bits * piece.size() || bits > 8 * piece.size()) return false;
  const std::size_t size = bytes_of_blocks(bits);
  to.bytes.assign(size + sizeof(std::uint64_t), '\0');
  write_block(bytes, code, to.bytes.data());
  to.bytes.resize(size);
  end_blocks(to.bytes);
  // The last block: 1, of the fixed code: 01, its end: 0000000.
  if (last) to.bytes.insert(to.bytes.end(), {'\x03', '\0'});
  to.last_bits = 8;
  to.crc = static_cast<std::uint32_t>(crc32(0, bytes.data(), static_cast<unsigned>(bytes.size())));
  return true;
}

}  // namespace spex
