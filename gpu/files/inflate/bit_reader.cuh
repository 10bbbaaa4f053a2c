// Bits of a DEFLATE stream, the lowest bit of each byte first (RFC 1951).
#pragma once

#include "gpu/files/inflate/lanes.cuh"

namespace spex::gpu::deflate {

/// Zero bytes that must follow the compressed bytes: at most so far do readers look beyond the end.
/// A header has at most 4500 bits, a symbol that begins before the end at most 48.
inline constexpr uint32_t padding = 1024;

SPEX_HD inline uint32_t load_word(const uint32_t* word) {
#ifdef __CUDA_ARCH__
  return __ldg(word);
#else
  return *word;
#endif
}

/// The low 32 bits of two words shifted right by `shift` < 32 bits.
SPEX_HD inline uint32_t shift_right(uint32_t low, uint32_t high, uint32_t shift) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(low, high, shift);
#else
  return shift != 0 ? low >> shift | high << (32 - shift) : low;
#endif
}

/// The 32 bits from bit `at` on.
SPEX_HD inline uint32_t bits_at(const uint32_t* words, uint32_t at) {
  return shift_right(load_word(words + at / 32), load_word(words + at / 32 + 1), at % 32);
}

/// The low 15 bits in reverse order: Huffman codes stand in the stream with their first bit lowest.
SPEX_HD inline uint32_t reverse_15(uint32_t v) {
#ifdef __CUDA_ARCH__
  return __brev(v) >> 17;
#else
  v = (v >> 1 & 0x55555555U) | (v & 0x55555555U) << 1;
  v = (v >> 2 & 0x33333333U) | (v & 0x33333333U) << 2;
  v = (v >> 4 & 0x0F0F0F0FU) | (v & 0x0F0F0F0FU) << 4;
  return __builtin_bswap32(v) >> 17;
#endif
}

/// Reads bits in order, from words that are aligned to 16 bytes. 16 bytes are loaded ahead: with a
/// line of L1 for each of 32 lanes a load often misses.
class BitReader {
 public:
  SPEX_HD BitReader(const uint32_t* words, uint32_t at)
      : words_(words), next_word_(at / 32 + 1), count_(32 - at % 32) {
    bits_ = load_word(words + at / 32) >> at % 32;
    load(next_word_ / 4 * 4);
  }

  /// Ensures 33 bits at least.
  SPEX_HD void fill() {
    if (count_ > 32) return;
    const uint32_t a = (next_word_ & 1U) != 0 ? ahead_[1] : ahead_[0];
    const uint32_t b = (next_word_ & 1U) != 0 ? ahead_[3] : ahead_[2];
    bits_ |= static_cast<uint64_t>((next_word_ & 2U) != 0 ? b : a) << count_;
    count_ += 32;
    if (++next_word_ % 4 == 0) load(next_word_);
  }
  [[nodiscard]] SPEX_HD uint32_t peek() const { return static_cast<uint32_t>(bits_); }
  SPEX_HD void skip(uint32_t count) {
    bits_ >>= count;
    count_ -= count;
  }
  /// The next `count` < 32 bits.
  SPEX_HD uint32_t take(uint32_t count) {
    const uint32_t value = peek() & ((1U << count) - 1);
    skip(count);
    return value;
  }
  /// The next bit's number.
  [[nodiscard]] SPEX_HD uint32_t at() const { return next_word_ * 32 - count_; }

 private:
  SPEX_HD void load(uint32_t word) {
#ifdef __CUDA_ARCH__
    const uint4 four = __ldg(reinterpret_cast<const uint4*>(words_ + word));
    ahead_[0] = four.x;
    ahead_[1] = four.y;
    ahead_[2] = four.z;
    ahead_[3] = four.w;
#else
    for (uint32_t k = 0; k < 4; ++k) ahead_[k] = words_[word + k];
#endif
  }

  const uint32_t* words_;
  uint64_t bits_ = 0;
  uint32_t next_word_, count_;
  uint32_t ahead_[4] = {};
};

}  // namespace spex::gpu::deflate
