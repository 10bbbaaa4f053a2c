// Literal blocks, decompressed by zlib.
#include <bit>
#include <cmath>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "reference/fits/write/gzip.hpp"
#include "reference/tests/support/pack_image.hpp"

namespace spex {
namespace {

using Counts = std::array<std::uint32_t, literals>;

std::vector<std::pair<const char*, Counts>> histograms() {
  Counts none{}, one{}, equal{}, two{}, fibonacci{}, geometric{}, real{};
  one[77] = 63'000'000;
  equal.fill(250'000);
  two[0] = 1, two[255] = 4'000'000'000U;
  std::uint32_t a = 1, b = 1;
  for (std::size_t k = 100; k < 140; ++k, std::swap(a, b), b += a) fibonacci[k] = a;
  for (std::size_t k = 0; k < 32; ++k) geometric[255 - k] = 1U << k;
  for (std::size_t k = 0; k < literals; ++k)
    real[k] = 200'000 + static_cast<std::uint32_t>(k % 64 == 59 ? 9'000'000 : 100 * k);
  return {{"none", none},
          {"one", one},
          {"equal", equal},
          {"two", two},
          {"fibonacci", fibonacci},
          {"geometric", geometric},
          {"real", real}};
}

TEST(LiteralBlock, CodesAreCompleteAndNotTooLong) {
  for (const auto& [name, counts] : histograms()) {
    SCOPED_TRACE(name);
    const LiteralCode code = make_literal_code(counts, 1);
    std::uint32_t used = 0;
    for (const std::uint32_t nbits : code.nbits) {
      ASSERT_GE(nbits, 1U);
      ASSERT_LE(nbits, 15U);
      used += 1U << (15 - nbits);
    }
    EXPECT_EQ(used, 1U << 15);
  }
}

TEST(LiteralBlock, FrequentBytesHaveShortCodes) {
  for (const auto& [name, counts] : histograms()) {
    SCOPED_TRACE(name);
    const LiteralCode code = make_literal_code(counts, 1);
    double bits = 0, total = 0, entropy = 0;
    for (const std::uint32_t count : counts) total += count;
    for (std::size_t k = 0; k < literals; ++k) {
      bits += static_cast<double>(counts[k]) * code.nbits[k];
      if (counts[k] > 0) entropy -= counts[k] * std::log2(counts[k] / total);
    }
    EXPECT_LE(bits, entropy + total);
  }
  const LiteralCode of_equal = make_literal_code(histograms()[2].second, 1);
  EXPECT_LE(*std::max_element(of_equal.nbits.begin(), of_equal.nbits.end()), 9U);
}

TEST(LiteralBlock, EveryCodeInflates) {
  std::vector<unsigned char> bytes(3 * literals);
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<unsigned char>(7 * k);
  for (const auto& [name, counts] : histograms()) {
    SCOPED_TRACE(name);
    const LiteralCode code = make_literal_code(counts, 1);
    test::BitStream stream;
    stream.put_block(code, bytes);
    stream.put_block(code, {});
    EXPECT_EQ(test::inflated(stream.finish(), bytes.size()), bytes);
  }
}

std::vector<float> noise(std::size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return normal(random); });
  return values;
}

// Blocks may end at any bit of a byte.
TEST(LiteralBlock, BlocksOfAnyLengthFollowEachOther) {
  for (std::size_t length = 1; length < 40; ++length) {
    const PackedImage packed = test::pack_image(noise(6 * length), length, 3, 16);
    const std::vector<unsigned char> bytes = test::inflated(packed.deflated, packed.size);
    ASSERT_EQ(bytes.size(), 4 * 6 * length);
    EXPECT_EQ(crc32(0, bytes.data(), static_cast<unsigned>(bytes.size())), packed.crc);
  }
}

std::size_t size_by_zlib(std::vector<float> values) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_HUFFMAN_ONLY), Z_OK);
  std::vector<unsigned char> room(8 * values.size());
  stream.next_in = reinterpret_cast<unsigned char*>(values.data());
  stream.avail_in = static_cast<unsigned>(values.size() * sizeof(float));
  stream.next_out = room.data();
  stream.avail_out = static_cast<unsigned>(room.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  deflateEnd(&stream);
  return stream.total_out;
}

TEST(LiteralBlock, FloatNoiseCompressesAsWellAsByZlib) {
  const std::vector<float> values = noise(3000 * 20);
  const PackedImage packed = test::pack_image(values, 3000, 2, 3072);
  EXPECT_LT(packed.deflated.size(), packed.size * 95 / 100);
  EXPECT_LT(packed.deflated.size(), size_by_zlib(values) * 102 / 100);
}

// Bytes of about 6 bits.
std::vector<char> noisy_bytes(std::size_t count) {
  std::mt19937 random(2);
  std::vector<char> bytes(count);
  for (char& byte : bytes) byte = static_cast<char>(std::popcount(random()) + random() % 32);
  return bytes;
}

TEST(LiteralBlock, APieceIsOneBlock) {
  for (const std::size_t size : {1000, 30'001, 30'002, 30'003}) {
    const std::vector<char> piece = noisy_bytes(size);
    const std::vector<unsigned char> bytes(piece.begin(), piece.end());
    Counts counts{};
    for (const unsigned char byte : bytes) ++counts[byte];
    test::BitStream expected;
    expected.put_block(make_literal_code(counts, 1), bytes);
    DeflatedPiece found;
    ASSERT_TRUE(deflate_literals(piece, false, found));
    EXPECT_EQ(found.bytes, expected.finish());
    EXPECT_EQ(found.last_bits, 8);
    EXPECT_EQ(found.crc, crc32(0, bytes.data(), static_cast<unsigned>(bytes.size())));
    const std::size_t size_within = found.bytes.size();
    ASSERT_TRUE(deflate_literals(piece, true, found));
    EXPECT_EQ(found.bytes.size(), size_within + 2);
    found.bytes.resize(size_within);
    EXPECT_EQ(found.bytes, expected.finish());
  }
}

TEST(LiteralBlock, OtherPiecesAreLeftToZlib) {
  DeflatedPiece unused;
  EXPECT_FALSE(deflate_literals({}, true, unused));
  EXPECT_FALSE(deflate_literals(std::vector<char>(1 << 20), false, unused));
  std::vector<char> random_bytes(1 << 16);
  std::mt19937 random(3);
  for (char& byte : random_bytes) byte = static_cast<char>(random());
  EXPECT_FALSE(deflate_literals(random_bytes, false, unused));
}

}  // namespace
}  // namespace spex
