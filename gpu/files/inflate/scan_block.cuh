// Pass 1: a warp finds where a block ends, how many bytes and matches it makes, and where in it a
// lane's part begins.
#pragma once

#include "gpu/files/inflate/chain.cuh"
#include "gpu/files/inflate/decode.cuh"

namespace spex::gpu::deflate {

/// Bits that a lane decodes before its part: after them it nearly always has the stream's symbols.
inline constexpr uint32_t bits_to_synchronize = 640;
inline constexpr uint32_t min_part = 512, max_part = 16384;  ///< bits of a part
inline constexpr uint32_t max_windows_of_block = 64;

/// Loads a block's code lengths.
SPEX_HD inline void load_code_lengths(const Job& job, WarpState& warp, uint32_t id) {
  for_lanes([&](uint32_t lane) {
    const uint8_t* const from = job.code_lengths + static_cast<std::size_t>(id) * max_code_lengths;
    for (uint32_t i = lane; i < max_code_lengths; i += lanes) warp.code_lengths[i] = from[i];
    if (lane != 0) return;
    const Block& block = job.blocks[id];
    warp.nliterals = block.literal_symbols;
    warp.ndistances = block.distance_symbols;
    warp.symbols_at = block.symbols_at;
    warp.ok = block.ok;
  });
}

/// A lane's part: symbols that begin in [begin, stop), read from bit `from` on.
struct Part {
  uint32_t from, begin, stop;
};

/// Moves the reader to the first symbol that begins in a part. Where there is no code the next bit
/// may be the begin of one.
SPEX_HD inline void synchronize(const Job& job, const WarpState& warp, BitReader& reader,
                                const Part& part, bool active) {
  Ignore ignored;
  while (any_lane(active && reader.at() < part.begin))
    if (active && reader.at() < part.begin &&
        decode_some(reader, warp, part.begin, ignored) == no_code)
      reader = BitReader(job.words, reader.at() + 1);
}

/// All lanes: scans the parts of those that are active.
SPEX_HD inline void scan_part(const Job& job, WarpState& warp, uint32_t lane, const Part& part,
                              bool active) {
  const bool inside = active && part.begin < job.end_bit;
  const uint32_t stop = part.stop < job.end_bit ? part.stop : job.end_bit + 1;
  BitReader reader(job.words, inside ? part.from : job.first_bit);
  synchronize(job, warp, reader, part, inside);
  const uint32_t begin = reader.at();
  Count count;
  const uint32_t state = decode(reader, warp, stop, count, inside);
  if (!active) return;
  warp.begin[lane] = inside ? begin : part.begin;
  warp.end[lane] = inside ? reader.at() : part.begin;
  warp.bytes[lane] = count.bytes;
  warp.matches[lane] = count.matches;
  warp.state[lane] = inside && reader.at() <= job.end_bit ? state : no_code;
}

SPEX_HD inline uint32_t first_stopped(const WarpState& warp) {
  return lowest_bit(vote([&](uint32_t lane) { return warp.state[lane] != part_ends; }));
}

/// Scans 32 parts of `bits` bits from bit `at` on, again where a part does not begin at the end of
/// the one before.
SPEX_HD inline void scan_parts(const Job& job, WarpState& warp, uint32_t at, uint32_t bits) {
  for_lanes([&](uint32_t lane) {
    const uint32_t before = lane * bits, begin = at + before;
    const uint32_t early = before < bits_to_synchronize ? before : bits_to_synchronize;
    scan_part(job, warp, lane, {begin - early, begin, begin + bits}, true);
  });
  while (true) {
    const uint32_t stopped = first_stopped(warp);
    const uint32_t again = vote([&](uint32_t lane) {
      return lane > 0 && lane <= stopped && warp.begin[lane] != warp.end[lane - 1];
    });
    if (again == 0) return;
    for_lanes([&](uint32_t lane) {
      if ((again >> lane & 1U) != 0) warp.again[lane] = warp.end[lane - 1];
    });
    for_lanes([&](uint32_t lane) {
      const uint32_t begin = warp.again[lane];
      scan_part(job, warp, lane, {begin, begin, at + (lane + 1) * bits}, (again >> lane & 1U) != 0);
    });
  }
}

/// Sums over the parts of a block before a window.
struct Before {
  uint32_t bytes, matches;
};

/// Stores the scanned parts as a window; false if there are too many windows.
SPEX_HD inline bool store_window(const Job& job, WarpState& warp, uint32_t id, uint32_t parts,
                                 const Before& before) {
  for_lanes([&](uint32_t lane) {
    if (lane != 0) return;
    warp.window = add_to(job.counts->windows, 1);
    if (warp.window >= job.max_windows) {
      set_bits(job.counts->error, too_many_windows);
      warp.window = none;
      return;
    }
    Window& window = job.windows[warp.window];
    window.block = id;
    window.parts = parts;
    window.end = warp.end[parts - 1];
    window.stored = 0;
  });
  if (warp.window == none) return false;
  for_lanes([&](uint32_t lane) {
    Before sum = before;
    for (uint32_t l = 0; l < lane; ++l) {
      sum.bytes += warp.bytes[l];
      sum.matches += warp.matches[l];
    }
    Window& window = job.windows[warp.window];
    window.begin[lane] = warp.begin[lane];
    window.byte[lane] = sum.bytes;
    window.match[lane] = sum.matches;
    window.matches[lane] = warp.matches[lane];
  });
  return true;
}

/// Scans block `id`, which may end at bit `guess`.
SPEX_HD inline void scan_block(const Job& job, WarpState& warp, uint32_t id, uint32_t guess) {
  load_code_lengths(job, warp, id);
  if (warp.ok == 0) return;
  make_tables(warp);
  uint32_t at = warp.symbols_at, state = part_ends;
  Before sum{0, 0};
  for (uint32_t k = 0; k < max_windows_of_block && state == part_ends; ++k) {
    uint32_t bits = guess > at ? (guess - at + lanes - 1) / lanes : max_part;
    bits = bits < min_part ? min_part : bits > max_part ? max_part : bits;
    scan_parts(job, warp, at, bits);
    uint32_t parts = first_stopped(warp);
    if (parts < lanes) state = warp.state[parts++];
    if (state == no_code) break;
    if (!store_window(job, warp, id, parts, sum)) {
      state = no_code;
      break;
    }
    for (uint32_t l = 0; l < parts; ++l) {
      sum.bytes += warp.bytes[l];
      sum.matches += warp.matches[l];
    }
    at = warp.end[parts - 1];
    if (sum.bytes > job.size) state = no_code;  // no sum overflows
    wait_for_lanes();
  }
  for_lanes([&](uint32_t lane) {
    if (lane != 0) return;
    Block& block = job.blocks[id];
    block.ok = state == block_ends ? 1 : 0;
    block.end = at;
    block.bytes = sum.bytes;
    block.matches = sum.matches;
    if (block.ok != 0 && !take_following(job, id)) block.ok = 0;
  });
}

}  // namespace spex::gpu::deflate
