// Blocks and their chain: each begins where another ends.
#pragma once

#include "gpu/files/inflate/job.cuh"

namespace spex::gpu::deflate {

/// Adds a block; returns its number, or none if there are too many.
SPEX_HD inline uint32_t add_block(const Job& job, uint32_t begin, uint32_t type, uint32_t is_last) {
  const uint32_t id = add_to(job.counts->blocks, 1);
  if (id >= job.max_blocks) {
    set_bits(job.counts->error, too_many_blocks);
    return none;
  }
  Block block{};
  block.begin = begin;
  block.type = type;
  block.is_last = is_last;
  job.blocks[id] = block;
  job.begins[id] = begin;
  return id;
}
SPEX_HD inline uint32_t count_blocks(const Job& job) {
  return job.counts->blocks < job.max_blocks ? job.counts->blocks : job.max_blocks;
}

/// Adds a window of stored bytes to a block. False if there are too many windows.
SPEX_HD inline bool add_stored_window(const Job& job, uint32_t id, uint32_t data, uint32_t size) {
  const uint32_t number = add_to(job.counts->windows, 1);
  if (number >= job.max_windows) {
    set_bits(job.counts->error, too_many_windows);
    return false;
  }
  Window& window = job.windows[number];
  window.block = id;
  window.parts = 1;
  window.stored = size;
  window.begin[0] = data;
  window.end = data + 8 * size;
  window.byte[0] = job.blocks[id].bytes;
  window.match[0] = job.blocks[id].matches;
  window.matches[0] = 0;
  return true;
}

/// One lane: adds to a block the stored and the empty fixed blocks that follow it, whose headers
/// are too short to be recognized. False if one is malformed.
SPEX_HD inline bool take_following(const Job& job, uint32_t id) {
  constexpr uint32_t empty_block_bits = 10;  // fixed: the header, and the end's code of zeros
  Block& block = job.blocks[id];
  while (block.is_last == 0 && block.end + empty_block_bits <= job.end_bit) {
    const uint32_t header = bits_at(job.words, block.end);
    if ((header & 0x3FEU) == 2) {
      block.is_last = header & 1U;
      block.end += empty_block_bits;
      continue;
    }
    if ((header >> 1 & 3U) != stored_block) return true;
    const uint32_t sizes_at = (block.end + 3 + 7) / 8 * 8, data = sizes_at + 32;
    if (data > job.end_bit) return false;
    const uint32_t sizes = bits_at(job.words, sizes_at), size = sizes & 0xFFFFU;
    if ((sizes >> 16 ^ size) != 0xFFFF || 8 * size > job.end_bit - data) return false;
    if (size != 0 && !add_stored_window(job, id, data, size)) return false;
    block.bytes += size;
    block.end = data + 8 * size;
    block.is_last = header & 1U;
  }
  return true;
}

/// One thread: adds the block at bit `at`, which ends the chain where no block was found.
SPEX_HD inline void add_next_block(const Job& job, uint32_t at) {
  const uint32_t header = bits_at(job.words, at), type = header >> 1 & 3U;
  if (at + 3 > job.end_bit || type > dynamic_block) {
    job.counts->tip = Tip::bad;
    return;
  }
  const uint32_t id = add_block(job, at, type, header & 1U);
  if (id == none || type != stored_block) return;
  Block& block = job.blocks[id];
  block.is_last = 0;
  block.end = at;  // the first that follows is this block itself
  block.ok = take_following(job, id) && block.end > at ? 1 : 0;
}

/// The least rank of `n` blocks that begin at or after bit `begin`.
SPEX_HD inline uint32_t rank_of(const Job& job, uint32_t n, uint32_t begin) {
  uint32_t low = 0, high = n;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (job.sorted_begins[middle] < begin)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Finds the block where that of rank `rank` ends; clears an element of first_byte.
SPEX_HD inline void find_next(const Job& job, uint32_t n, uint32_t rank) {
  const Block& block = job.blocks[job.sorted_blocks[rank]];
  uint32_t next = none;
  if (block.ok != 0 && block.is_last == 0) {
    const uint32_t found = rank_of(job, n, block.end);
    if (found < n && found > rank && job.sorted_begins[found] == block.end) next = found;
  }
  job.next_rank[rank] = next;
  job.first_byte[rank] = none;
}

/// Tells how the chain ends with the block of rank `rank`.
SPEX_HD inline void judge_tip(const Job& job, uint32_t rank) {
  const Block& block = job.blocks[job.sorted_blocks[rank]];
  job.counts->tip_bit = block.end;
  if (block.ok == 0)
    job.counts->tip = Tip::bad;
  else if (block.is_last == 0)
    job.counts->tip = Tip::open;
  else
    job.counts->tip = (block.end + 7) / 8 * 8 == job.end_bit ? Tip::at_trailer : Tip::bad;
}

/// One lane: reads a block's header: its code lengths, and where its symbols begin.
template <class Entry>
SPEX_HD inline void read_header(const Job& job, uint32_t id, Entry* table, uint32_t stride) {
  Block& block = job.blocks[id];
  uint8_t* const lengths = job.code_lengths + static_cast<std::size_t>(id) * max_code_lengths;
  if (block.type == stored_block) return;
  if (block.type == fixed_block) {
    block.ok = 1;
    block.literal_symbols = 288;
    block.distance_symbols = 32;
    block.symbols_at = block.begin + 3;
    for (uint32_t i = 0; i < max_code_lengths; ++i)
      lengths[i] = static_cast<uint8_t>(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : i < 288 ? 8 : 5);
    return;
  }
  const HeaderStart start = read_header_start(job.words, block.begin);
  block.literal_symbols = start.literal_symbols;
  block.distance_symbols = start.distance_symbols;
  uint32_t used = 0;
  for (uint32_t i = 0; i < start.count; ++i) {
    const auto length = static_cast<uint32_t>(start.lengths >> (3 * i)) & 7U;
    if (length != 0) used += 128U >> length;
  }
  block.ok = 0;
  if (start.literal_symbols > max_literal_symbols ||
      start.distance_symbols > max_distance_symbols || used != 128)
    return;
  make_length_table(start.lengths, table, stride);
  BitReader reader(job.words, start.after);
  UsedWords words(start.literal_symbols);
  const bool read =
      read_lengths(reader, table, stride, start.literal_symbols + start.distance_symbols,
                   [&](uint32_t first, uint32_t count, uint32_t length) {
                     for (uint32_t i = 0; i < count; ++i)
                       lengths[first + i] = static_cast<uint8_t>(length);
                     return words.add(first, count, length);
                   });
  block.ok = read && words.is_complete() ? 1 : 0;
  block.symbols_at = reader.at();
}

}  // namespace spex::gpu::deflate
