// Headers of DEFLATE blocks with dynamic Huffman codes (RFC 1951, 3.2.7): where one may begin, and
// whether one is well formed. A header holds HLIT, HDIST and HCLEN, the lengths of the code length
// code, and in that code the lengths of the literal/length code and of the distance code.
#pragma once

#include "gpu/files/inflate/bit_reader.cuh"

namespace spex::gpu::deflate {

inline constexpr uint32_t max_literal_symbols = 286, max_distance_symbols = 30;
/// Code lengths of a block, with those of the fixed codes.
inline constexpr uint32_t max_code_lengths = 320;

/// Bits where such a header may begin, of the 32 that begin in the first of two words: block type
/// 2, HLIT and HDIST in range. Headers of last blocks only where `last_too`.
SPEX_HD inline uint32_t possible_headers(uint32_t low, uint32_t high, bool last_too) {
  const auto bit = [&](uint32_t k) { return shift_right(low, high, k); };
  uint32_t mask = ~bit(1) & bit(2);
  if (!last_too) mask &= ~low;
  mask &= ~(bit(4) & bit(5) & bit(6) & bit(7));
  return mask & ~(bit(9) & bit(10) & bit(11) & bit(12));
}

/// The part of all 7-bit words, in 1/128, that four code lengths of 3 bits use; at most 255.
SPEX_HD inline uint8_t words_used_by_four(uint32_t lengths) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t length = lengths >> (3 * i) & 7U;
    if (length != 0) sum += 128U >> length;
  }
  return static_cast<uint8_t>(sum > 255 ? 255 : sum);
}

/// Three words in which HCLEN begins at bit `shift` of the first.
struct CountAndLengths {
  uint32_t word[3];
  uint32_t shift;
};
/// Whether a code length code uses all 7-bit words. `used` is words_used_by_four() of 4096.
SPEX_HD inline bool is_complete(const CountAndLengths& from, const uint8_t* used) {
  const uint32_t low = shift_right(from.word[0], from.word[1], from.shift);
  const uint32_t high = shift_right(from.word[1], from.word[2], from.shift);
  const uint32_t unused = 48 - 3 * (low & 15U);
  const uint64_t lengths = (static_cast<uint64_t>(high) << 32 | (low & ~15U)) << unused;
  const auto a = static_cast<uint32_t>(lengths), b = static_cast<uint32_t>(lengths >> 32);
  return used[a >> 4 & 4095U] + used[a >> 16 & 4095U] + used[shift_right(a, b, 28) & 4095U] +
             used[b >> 8 & 4095U] + used[b >> 20] ==
         128;
}

/// HLIT, HDIST, and the lengths of the code length code, 3 bits each in the header's order.
struct HeaderStart {
  uint32_t literal_symbols, distance_symbols, count;
  uint64_t lengths;
  uint32_t after;  ///< the bit where the other lengths begin
};
SPEX_HD inline HeaderStart read_header_start(const uint32_t* words, uint32_t at) {
  const uint32_t sizes = bits_at(words, at), count_at = at + 13;
  const uint64_t x =
      static_cast<uint64_t>(bits_at(words, count_at + 32)) << 32 | bits_at(words, count_at);
  const uint32_t count = (static_cast<uint32_t>(x) & 15U) + 4;
  return {(sizes >> 3 & 31U) + 257, (sizes >> 8 & 31U) + 1, count,
          x >> 4 & ((1ULL << (3 * count)) - 1), at + 17 + 3 * count};
}

/// Entries of the table of a code length code: 128 of the next 7 bits, then the symbols in order of
/// their words.
inline constexpr uint32_t length_table_size = 128 + 20;

/// Makes the table: table[k * stride] is symbol | bits << 5. The code must be complete.
template <class Entry>
SPEX_HD inline void make_length_table(uint64_t lengths, Entry* table, uint32_t stride) {
  uint64_t low = 0, high = 0, counts = 0;  // lengths of symbols 0 to 9, 10 to 18; by length, 8 bits
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (uint32_t i = 0; i < 19; ++i) {
    // 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
    const uint32_t symbol = i < 3        ? 16 + i
                            : i == 3     ? 0
                            : i % 2 != 0 ? 7 - (i - 5) / 2
                                         : 8 + (i - 4) / 2;
    const uint64_t length = lengths >> (3 * i) & 7U;
    if (symbol < 10)
      low |= length << (3 * symbol);
    else
      high |= length << (3 * (symbol - 10));
    counts += 1ULL << (8 * length);
  }
  const uint64_t used = counts >> 8;
  uint64_t before = used * 0x0101010101010101ULL - used;  // symbols of smaller length
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (uint32_t symbol = 0; symbol < 19; ++symbol) {
    const auto length =
        static_cast<uint32_t>(symbol < 10 ? low >> (3 * symbol) : high >> (3 * (symbol - 10))) & 7U;
    if (length == 0) continue;
    table[(128 + (before >> (8 * (length - 1)) & 255U)) * stride] =
        static_cast<Entry>(symbol | length << 5);
    before += 1ULL << (8 * (length - 1));
  }
  uint32_t next = 128, change = 0, entry = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 16
#endif
  for (uint32_t word = 0; word < 128; ++word) {
    if (word == change) {
      entry = table[next * stride];
      ++next;
      change += 128U >> (entry >> 5);
    }
    table[(reverse_15(word) >> 8) * stride] = static_cast<Entry>(entry);
  }
}

/// Reads `total` code lengths; put(first symbol, count, length) takes equal ones. False if they are
/// malformed, or where put() returns false.
template <class Entry, class Put>
SPEX_HD inline bool read_lengths(BitReader& reader, const Entry* table, uint32_t stride,
                                 uint32_t total, const Put& put) {
  uint32_t at = 0, length = 0;
  while (at < total) {
    reader.fill();
    const uint32_t entry = table[(reader.peek() & 127U) * stride], symbol = entry & 31U;
    reader.skip(entry >> 5);
    uint32_t count = 1;
    if (symbol < 16) {
      length = symbol;
    } else if (symbol == 16) {
      if (at == 0) return false;
      count = 3 + reader.take(2);
    } else {
      count = symbol == 17 ? 3 + reader.take(3) : 11 + reader.take(7);
      length = 0;
    }
    if (at + count > total || !put(at, count, length)) return false;
    at += count;
  }
  return true;
}

/// Sums which part of all 15-bit words both codes use.
class UsedWords {
 public:
  SPEX_HD explicit UsedWords(uint32_t literal_symbols) : literal_symbols_(literal_symbols) {}

  /// Adds equal lengths; false if a code uses more words than there are.
  SPEX_HD bool add(uint32_t first, uint32_t count, uint32_t length) {
    if (length == 0) return true;
    const uint32_t end = first + count, each = 32768U >> length;
    const uint32_t below = end <= literal_symbols_ ? end : literal_symbols_;
    const uint32_t of_literals = first < literal_symbols_ ? below - first : 0;
    literal_ += of_literals * each;
    distance_ += (count - of_literals) * each;
    distances_ += count - of_literals;
    if (first <= 256 && 256 < end) has_end_ = true;
    return literal_ <= 32768 && distance_ <= 32768;
  }
  /// Whether the codes are those that compressors write: complete, or of at most one distance.
  [[nodiscard]] SPEX_HD bool is_complete() const {
    return has_end_ && literal_ == 32768 && (distance_ == 32768 || distances_ <= 1);
  }

 private:
  uint32_t literal_symbols_, literal_ = 0, distance_ = 0, distances_ = 0;
  bool has_end_ = false;
};

/// Whether a well-formed header begins at bit `at`; its code length code must be complete.
template <class Entry>
SPEX_HD inline bool verify_header(const uint32_t* words, uint32_t at, Entry* table,
                                  uint32_t stride) {
  const HeaderStart start = read_header_start(words, at);
  make_length_table(start.lengths, table, stride);
  BitReader reader(words, start.after);
  UsedWords used(start.literal_symbols);
  return read_lengths(reader, table, stride, start.literal_symbols + start.distance_symbols,
                      [&](uint32_t first, uint32_t count, uint32_t length) {
                        return used.add(first, count, length);
                      }) &&
         used.is_complete();
}

}  // namespace spex::gpu::deflate
