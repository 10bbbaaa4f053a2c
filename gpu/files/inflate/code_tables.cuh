// Tables of a block's two Huffman codes, made and used by a warp.
#pragma once

#include "gpu/files/inflate/bit_reader.cuh"
#include "gpu/files/inflate/block_headers.cuh"

namespace spex::gpu::deflate {

/// Bits that a table decodes; longer codes are searched for by length.
inline constexpr uint32_t literal_bits = 10, distance_bits = 8;

/// A canonical code: words of 15 bits below limit[l] have codes of length <= l; before[l] symbols
/// have shorter ones.
struct CodeByLength {
  uint32_t limit[16];
  int32_t before[16];
};

/// A warp's state in shared memory.
struct WarpState {
  /// By the next bits: of a literal, literal << 8 | bits; of another symbol, (symbol - 256) << 8 |
  /// bits << 4; 0 for a longer code or none.
  uint16_t literal[1U << literal_bits];
  /// Least distance << 8 | further bits << 4 | bits; 0 as above.
  uint32_t distance[1U << distance_bits];
  /// Of symbols from 256 on: least length | further bits << 12; 0 for the end; no_length.
  uint16_t match_length[32];
  uint16_t literal_symbols[288], distance_symbols[32];  ///< in the order of their codes
  CodeByLength literal_code, distance_code;
  uint8_t code_lengths[max_code_lengths];
  uint32_t begin[lanes], end[lanes], bytes[lanes], matches[lanes], state[lanes], again[lanes];
  uint32_t nliterals, ndistances, symbols_at, ok, window;
};

inline constexpr uint32_t no_length = 0xFFFF;

SPEX_HD inline uint32_t literal_entry(uint32_t symbol, uint32_t bits) {
  return symbol < 256 ? symbol << 8 | bits : (symbol - 256) << 8 | bits << 4;
}
/// The least distance is 0 for symbols 30 and 31, which do not occur.
SPEX_HD inline uint32_t distance_entry(uint32_t symbol, uint32_t bits) {
  if (symbol >= max_distance_symbols) return bits;
  const uint32_t more = symbol < 4 ? 0 : symbol / 2 - 1;
  const uint32_t least = symbol < 4 ? 1 + symbol : 1 + ((2 + symbol % 2) << more);
  return least << 8 | more << 4 | bits;
}
SPEX_HD inline uint32_t match_length_entry(uint32_t symbol_from_256) {
  if (symbol_from_256 == 0) return 0;
  const uint32_t k = symbol_from_256 - 1;
  if (k > 28) return no_length;
  if (k < 8) return 3 + k;
  if (k == 28) return 258;
  const uint32_t more = k / 4 - 1;
  return (3 + ((4 + k % 4) << more)) | more << 12;
}

/// Sorts `n` symbols by code length. Lanes l and 16 + l take those of length l in each half.
SPEX_HD inline void sort_symbols(const uint8_t* lengths, uint32_t n, uint16_t* symbols,
                                 CodeByLength& code, uint32_t* count) {
  const uint32_t half = n / 2;
  for_lanes([&](uint32_t lane) {
    const uint32_t length = lane % 16, end = lane < 16 ? half : n;
    uint32_t found = 0;
    if (length != 0)
      for (uint32_t i = lane < 16 ? 0 : half; i < end; ++i) found += lengths[i] == length ? 1 : 0;
    count[lane] = found;
  });
  for_lanes([&](uint32_t lane) {
    const uint32_t length = lane % 16, end = lane < 16 ? half : n;
    uint32_t before = 0, limit = 0;
    for (uint32_t l = 1; l <= length; ++l) {
      const uint32_t of_length = count[l] + count[l + 16];
      if (l < length) before += of_length;
      limit += of_length << (15 - l);
    }
    if (lane < 16) {
      code.before[length] = static_cast<int32_t>(before);
      code.limit[length] = limit;
    } else {
      before += count[length];
    }
    if (length == 0) return;
    for (uint32_t i = lane < 16 ? 0 : half; i < end; ++i)
      if (lengths[i] == length) symbols[before++] = static_cast<uint16_t>(i);
  });
}

/// The symbol of a word of 15 bits whose code has `length` bits.
SPEX_HD inline uint32_t symbol_of(const CodeByLength& code, const uint16_t* symbols, uint32_t word,
                                  uint32_t length) {
  const uint32_t nth = (word - code.limit[length - 1]) >> (15 - length);
  return symbols[static_cast<uint32_t>(code.before[length]) + nth];
}

template <uint32_t bits, class Entry, class MakeEntry>
SPEX_HD inline void fill_table(Entry* table, const CodeByLength& code, const uint16_t* symbols,
                               const MakeEntry& make_entry) {
  for_lanes([&](uint32_t lane) {
    constexpr uint32_t each = (1U << bits) / lanes;
    uint32_t length = 1;
    for (uint32_t k = 0; k < each; ++k) {
      const uint32_t word = (lane * each + k) << (15 - bits);
      while (length <= bits && word >= code.limit[length]) ++length;
      const uint32_t entry =
          length <= bits ? make_entry(symbol_of(code, symbols, word, length), length) : 0;
      table[reverse_15(word)] = static_cast<Entry>(entry);
    }
  });
}

/// Makes the tables from the code lengths.
SPEX_HD inline void make_tables(WarpState& warp) {
  sort_symbols(warp.code_lengths, warp.nliterals, warp.literal_symbols, warp.literal_code,
               warp.begin);
  sort_symbols(warp.code_lengths + warp.nliterals, warp.ndistances, warp.distance_symbols,
               warp.distance_code, warp.begin);
  fill_table<literal_bits>(warp.literal, warp.literal_code, warp.literal_symbols, literal_entry);
  fill_table<distance_bits>(warp.distance, warp.distance_code, warp.distance_symbols,
                            distance_entry);
  for_lanes([&](uint32_t lane) {
    warp.match_length[lane] = static_cast<uint16_t>(match_length_entry(lane));
  });
}

/// The symbol and length of a code that is longer than a table's bits.
struct LongCode {
  uint32_t symbol, length;  ///< length is 16 if there is no such code
};
SPEX_HD inline LongCode find_long_code(uint32_t bits, uint32_t table_bits, const CodeByLength& code,
                                       const uint16_t* symbols) {
  const uint32_t word = reverse_15(bits);
  uint32_t length = table_bits + 1;
  while (length <= 15 && word >= code.limit[length]) ++length;
  return {length <= 15 ? symbol_of(code, symbols, word, length) : 0, length};
}

}  // namespace spex::gpu::deflate
