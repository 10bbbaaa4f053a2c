// What the kernels of one gzip file share.
//
// A gzip file is inflated in parallel because a block's header is long enough to be recognized
// anywhere: of 1.4 billion other bits of an image, two looked like one. All blocks found are
// decoded at once, by a warp each, in 32 parts: a lane begins some bits before its part, and has
// the stream's symbols by then. That is tested, not believed: each part must begin where the one
// before ends, each block where another ends, the last block at the trailer, and the sum of all
// bytes is the trailer's. A second pass writes the literals and records the matches (RFC 1951:
// copies of bytes up to 32 KiB before), and the matches are then resolved.
#pragma once

#include "gpu/files/inflate/block_headers.cuh"

namespace spex::gpu::deflate {

inline constexpr uint32_t stored_block = 0, fixed_block = 1, dynamic_block = 2;

/// A block, or what looks like one.
struct Block {
  uint32_t begin;  ///< bit of the header
  uint32_t type;
  uint32_t is_last;
  uint32_t ok;              ///< it could be decoded
  uint32_t end;             ///< the bit after it, and after stored blocks that follow
  uint32_t bytes, matches;  ///< of all these
  uint32_t literal_symbols, distance_symbols;
  uint32_t symbols_at;  ///< the bit where its symbols begin
};

/// Up to 32 parts of a block, one per lane; or stored bytes.
struct Window {
  uint32_t block, parts;
  uint32_t end;           ///< the bit after the last part
  uint32_t stored;        ///< stored bytes from bit begin[0] on; 0 for parts of symbols
  uint32_t begin[lanes];  ///< bits
  uint32_t byte[lanes], match[lanes];  ///< bytes and matches of the block before each part
  uint32_t matches[lanes];             ///< of each part
};

/// Matches that begin within 64 inflated bytes.
struct Bucket {
  unsigned long long starts;  ///< bit k: a match begins at byte k
  uint32_t first;             ///< matches that begin before
  uint32_t spare;
};

/// A match: (first byte of its run) << 32 | (distance - 1) << 16 | run_goes_on | round << 9 |
/// length. A run is a sequence of matches of the same distance, each of which begins where the one
/// before ends. The round, from 1 on, is that in which its bytes were copied; 0 before.
using Match = unsigned long long;
inline constexpr uint32_t run_goes_on = 0x8000;  ///< its run began in an earlier part
inline constexpr uint32_t rounds = 3;
SPEX_HD inline uint32_t round_of(Match match) {
  return static_cast<uint32_t>(match >> 9) & 0x3FU;
}
SPEX_HD inline Match with_round(Match match, uint32_t round) {
  return match | round << 9;
}
SPEX_HD inline uint32_t length_of(Match match) {
  return static_cast<uint32_t>(match) & 0x1FFU;
}
SPEX_HD inline uint32_t distance_of(Match match) {
  return (static_cast<uint32_t>(match >> 16) & 0xFFFFU) + 1;
}
SPEX_HD inline uint32_t run_of(Match match) {
  return static_cast<uint32_t>(match >> 32);
}

/// A link of a byte of a match: is_final | the byte that it equals, or another link.
inline constexpr uint32_t is_final = 1U << 31;

/// Reasons to give up, as bits.
inline constexpr uint32_t too_many_candidates = 1, too_many_blocks = 2, too_many_windows = 4,
                          far_distance = 8, open_run = 16;
/// Where the chain of blocks from the first one ends: in a block that cannot be decoded, where no
/// block was found, or at the trailer.
enum class Tip : uint32_t { bad, open, at_trailer };

/// Results on the device.
struct Counts {
  uint32_t error;
  uint32_t candidates, blocks, windows;
  uint32_t ticket[2];  ///< work taken by warps in pass 1, in pass 2
  Tip tip;
  uint32_t tip_bit;
  uint32_t matches;          ///< of the chain
  unsigned long long bytes;  ///< of the chain
  uint32_t crc;              ///< see join_crc()
  uint32_t links;
  uint32_t unfinished[16];  ///< not 0 if links were not final after they were followed so often
};

/// Arrays in device memory, and sizes.
struct Job {
  const uint32_t* words;    ///< the file, and padding
  uint32_t first_bit;       ///< of the first block
  uint32_t end_bit;         ///< of the trailer
  uint32_t last_from;       ///< the word from which headers of last blocks are searched for
  unsigned long long size;  ///< inflated bytes

  uint32_t* candidates;  ///< bits where a header may begin
  uint32_t max_candidates;
  Block* blocks;
  uint8_t* code_lengths;  ///< max_code_lengths of each block
  uint32_t* begins;       ///< of each block
  uint32_t max_blocks;
  uint32_t *sorted_begins, *sorted_blocks;  ///< by rank, in the order of begins
  uint32_t* next_rank;                      ///< by rank: of the block at its end, or none
  uint32_t *first_byte, *first_match;  ///< by block: place of its output; none outside the chain
  Window* windows;
  uint32_t max_windows;
  Bucket* buckets;
  uint32_t* match_begin;  ///< the first byte of each match
  Match* matches;
  uint32_t* first_link;          ///< of each match that is not copied in the rounds
  uint32_t *links, *link_begin;  ///< and the bytes that they are of
  uint8_t* out;
  Counts* counts;
};

}  // namespace spex::gpu::deflate
