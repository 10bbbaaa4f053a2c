// Decodes the symbols of a part of a block; a lane's work.
#pragma once

#include "gpu/files/inflate/code_tables.cuh"

namespace spex::gpu::deflate {

/// Why decoding stopped: the part ends; the block ends; there is no such code. Or that it goes on.
inline constexpr uint32_t part_ends = 0, block_ends = 1, no_code = 2, goes_on = 3;

/// Sinks of symbols: one that needs nothing, and one that counts.
struct Ignore {
  static constexpr bool needs_values = false;
  SPEX_HD void literals(uint64_t /*values*/, uint32_t /*count*/) {}
  SPEX_HD void match(uint32_t /*length*/, uint32_t /*distance*/) {}
};
struct Count {
  static constexpr bool needs_values = false;
  uint32_t bytes = 0, matches = 0;
  SPEX_HD void literals(uint64_t /*values*/, uint32_t count) { bytes += count; }
  SPEX_HD void match(uint32_t length, uint32_t /*distance*/) {
    bytes += length;
    ++matches;
  }
};

/// `v` with byte 1 of `entry`, which is a literal, as its byte k.
SPEX_HD inline uint32_t put_literal(uint32_t v, uint32_t entry, uint32_t k) {
#ifdef __CUDA_ARCH__
  return __byte_perm(v, entry, k == 0 ? 0x3215U : k == 1 ? 0x3250U : k == 2 ? 0x3510U : 0x5210U);
#else
  return (v & ~(255U << (8 * k))) | (entry >> 8 & 255U) << (8 * k);
#endif
}

SPEX_HD inline uint32_t next_literal_entry(const BitReader& reader, const WarpState& warp) {
  return warp.literal[reader.peek() & ((1U << literal_bits) - 1)];
}

/// Decodes literals until another symbol or a longer code, at most `at_once`, without a branch.
/// Returns the last entry.
inline constexpr uint32_t at_once = 8, bits_at_once = at_once * literal_bits;
static_assert(3 * literal_bits <= 33);
template <class Sink>
SPEX_HD inline uint32_t decode_literals(BitReader& reader, const WarpState& warp, Sink& sink) {
  uint32_t low = 0, high = 0, count = 0, entry = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (uint32_t k = 0; k < at_once; ++k) {
    // after one that is no literal the others see the same entry, and do nothing
    if (k % 3 == 0) reader.fill();
    entry = next_literal_entry(reader, warp);
    const uint32_t bits = entry & 15U;
    if (Sink::needs_values) {
      if (k < 4)
        low = put_literal(low, entry, k);
      else
        high = put_literal(high, entry, k - 4);
    }
    count += bits != 0 ? 1 : 0;
    reader.skip(bits);
  }
  sink.literals(static_cast<uint64_t>(high) << 32 | low, count);
  return entry;
}

/// Decodes a match, whose length has the entry `length` of WarpState::match_length.
template <class Sink>
SPEX_HD inline bool decode_match(BitReader& reader, const WarpState& warp, uint32_t length,
                                 Sink& sink) {
  const uint32_t bytes = (length & 511U) + reader.take(length >> 12);
  reader.fill();
  uint32_t distance = warp.distance[reader.peek() & ((1U << distance_bits) - 1)];
  if (distance == 0) {
    const LongCode found =
        find_long_code(reader.peek(), distance_bits, warp.distance_code, warp.distance_symbols);
    if (found.length > 15) return false;
    distance = distance_entry(found.symbol, found.length);
  }
  if (distance < 256) return false;
  reader.skip(distance & 15U);
  sink.match(bytes, (distance >> 8) + reader.take(distance >> 4 & 15U));
  return true;
}

/// Decodes some symbols, at least one, of those that begin before bit `stop`.
template <class Sink>
SPEX_HD inline uint32_t decode_some(BitReader& reader, const WarpState& warp, uint32_t stop,
                                    Sink& sink) {
  const uint32_t at = reader.at();
  if (at >= stop) return part_ends;
  uint32_t entry = 0;
  if (at + bits_at_once <= stop) {
    entry = decode_literals(reader, warp, sink);
    if ((entry & 15U) != 0) return goes_on;
  } else {
    reader.fill();
    entry = next_literal_entry(reader, warp);
    if ((entry & 15U) != 0) {
      reader.skip(entry & 15U);
      sink.literals(entry >> 8, 1);
      return goes_on;
    }
  }
  reader.fill();
  uint32_t symbol = entry >> 8, bits = entry >> 4 & 15U;
  if (entry == 0) {
    const LongCode found =
        find_long_code(reader.peek(), literal_bits, warp.literal_code, warp.literal_symbols);
    if (found.length > 15) return no_code;
    symbol = found.symbol;
    bits = found.length;
    if (symbol < 256) {
      reader.skip(bits);
      sink.literals(symbol, 1);
      return goes_on;
    }
    symbol -= 256;
  }
  reader.skip(bits);
  const uint32_t length = warp.match_length[symbol];
  if (length == 0) return block_ends;
  if (length == no_length || !decode_match(reader, warp, length, sink)) return no_code;
  return goes_on;
}

/// Decodes the symbols that begin before bit `stop` in those lanes that are active, and tells why
/// it stopped. All lanes must call it: they begin each step together, for otherwise a lane with a
/// match would not wait for others, and each would go on alone.
template <class Sink>
SPEX_HD inline uint32_t decode(BitReader& reader, const WarpState& warp, uint32_t stop, Sink& sink,
                               bool active) {
  uint32_t state = active ? goes_on : part_ends;
  while (any_lane(state == goes_on))
    if (state == goes_on) state = decode_some(reader, warp, stop, sink);
  return state;
}

}  // namespace spex::gpu::deflate
