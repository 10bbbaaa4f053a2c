// Packs an image for a .gz file like the GPU (gpu/files/pack_resolution.hpp), by simple loops and
// zlib.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <zlib.h>

#include "reference/fits/fits_checksum.hpp"
#include "reference/fits/write/literal_block.hpp"
#include "reference/model/packed_image.hpp"

namespace spex::test {

/// A sequence of bits, the first bit lowest.
class BitStream {
 public:
  void put(std::uint32_t value, std::size_t nbits) {
    for (std::size_t i = 0; i < nbits; ++i, ++size_) {
      if (size_ % 8 == 0) bytes_.push_back('\0');
      bytes_.back() = static_cast<char>(bytes_.back() | (value >> i & 1U) << (size_ % 8));
    }
  }
  /// Appends a block of the literals `bytes`.
  void put_block(const LiteralCode& code, std::span<const unsigned char> bytes) {
    const BlockHeader header = block_header(code);
    for (std::size_t k = 0; k < block_header_bits; k += 32)
      put(header[k / 32], std::min<std::size_t>(32, block_header_bits - k));
    for (const unsigned char byte : bytes) put(code.bits[byte], code.nbits[byte]);
    put(code.bits[end_of_block], code.nbits[end_of_block]);
  }
  /// The bytes, with the final empty block.
  [[nodiscard]] std::vector<char> finish() const {
    std::vector<char> bytes = bytes_;
    bytes.resize(bytes_of_blocks(size_));
    end_blocks(bytes);
    return bytes;
  }

 private:
  std::vector<char> bytes_;
  std::size_t size_ = 0;
};

/// Rows of `length` floats, divided into blocks of at most `most`; row r has code r % ncodes.
inline PackedImage pack_image(const std::vector<float>& values, std::size_t length,
                              std::size_t ncodes, std::size_t most) {
  std::vector<unsigned char> bytes;
  for (const float value : values)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<unsigned char>(std::bit_cast<std::uint32_t>(value) >> shift));
  std::vector<std::array<std::uint32_t, literals>> counts(ncodes);
  std::vector<std::uint32_t> blocks(ncodes);
  const auto for_each_block = [&](const auto& visit) {
    for (std::size_t first = 0; first < values.size(); first += length)
      for (std::size_t k = 0; k < length; k += most)
        visit(first / length % ncodes,
              std::span(bytes).subspan(4 * (first + k), 4 * std::min(most, length - k)));
  };
  for_each_block([&](std::size_t code, std::span<const unsigned char> block) {
    for (const unsigned char byte : block) ++counts[code][byte];
    ++blocks[code];
  });
  std::vector<LiteralCode> codes;
  for (std::size_t k = 0; k < ncodes; ++k) codes.push_back(make_literal_code(counts[k], blocks[k]));
  BitStream stream;
  for_each_block([&](std::size_t code, std::span<const unsigned char> block) {
    stream.put_block(codes[code], block);
  });
  return {stream.finish(), bytes.size(),
          static_cast<std::uint32_t>(crc32(0, bytes.data(), static_cast<unsigned>(bytes.size()))),
          fits_checksum(bytes)};
}

/// Decompresses `size` bytes of `deflated` by zlib. Throws unless zlib reaches the end of
/// `deflated` and expects more data.
inline std::vector<unsigned char> inflated(const std::vector<char>& deflated, std::size_t size) {
  std::vector<unsigned char> bytes(size + 1);
  std::vector<char> input = deflated;  // zlib does not accept const bytes
  z_stream stream{};
  stream.next_in = reinterpret_cast<unsigned char*>(input.data());
  stream.avail_in = static_cast<unsigned>(input.size());
  stream.next_out = bytes.data();
  stream.avail_out = static_cast<unsigned>(bytes.size());
  constexpr int raw = -15;  // no zlib or gzip header
  const bool good = inflateInit2(&stream, raw) == Z_OK && inflate(&stream, Z_SYNC_FLUSH) == Z_OK &&
                    stream.avail_in == 0;
  inflateEnd(&stream);
  if (!good) throw std::runtime_error("zlib does not inflate a part of a stream");
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(stream.total_out)};
}

}  // namespace spex::test
