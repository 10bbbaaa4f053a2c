// The functions of gpu/files/inflate on the host: each lane, each warp in turn.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "gpu/files/inflate/crc.cuh"
#include "gpu/files/inflate/gzip_member.hpp"
#include "gpu/files/inflate/matches.cuh"
#include "gpu/files/inflate/write_window.cuh"

namespace spex::gpu::test {

/// A job in host memory, inflated step by step.
class HostInflation {
 public:
  HostInflation(std::span<const char> file, const GzipMember& member)
      : words_((file.size() + deflate::padding) / sizeof(std::uint32_t) + 1),
        candidates_(file.size() / 16 + 65536),
        blocks_(max_blocks),
        code_lengths_(max_blocks * deflate::max_code_lengths),
        begins_(max_blocks),
        sorted_begins_(max_blocks),
        sorted_blocks_(max_blocks),
        next_rank_(max_blocks),
        first_byte_(max_blocks),
        first_match_(max_blocks),
        windows_(2 * max_blocks),
        buckets_(member.size / 64 + 2),
        out_(member.size + 8) {
    std::memcpy(words_.data(), file.data(), file.size());
    job_.words = words_.data();
    job_.first_bit = static_cast<std::uint32_t>(member.begin * 8);
    job_.end_bit = static_cast<std::uint32_t>(member.end * 8);
    job_.size = member.size;
    job_.candidates = candidates_.data();
    job_.max_candidates = static_cast<std::uint32_t>(candidates_.size());
    job_.blocks = blocks_.data();
    job_.code_lengths = code_lengths_.data();
    job_.begins = begins_.data();
    job_.max_blocks = max_blocks;
    job_.sorted_begins = sorted_begins_.data();
    job_.sorted_blocks = sorted_blocks_.data();
    job_.next_rank = next_rank_.data();
    job_.first_byte = first_byte_.data();
    job_.first_match = first_match_.data();
    job_.windows = windows_.data();
    job_.max_windows = static_cast<std::uint32_t>(windows_.size());
    job_.buckets = buckets_.data();
    job_.out = out_.data();
    job_.counts = &counts_;
  }
  HostInflation(const HostInflation&) = delete;
  HostInflation& operator=(const HostInflation&) = delete;

  /// Blocks, their chain; whether it is that of the member.
  [[nodiscard]] bool find_chain() {
    find_candidates();
    std::uint32_t known = 0;
    for (int added = 0; added < 33 && counts_.error == 0; ++added) {
      sort_blocks();
      scan_from(known);
      follow();
      if (counts_.error != 0 || counts_.tip != deflate::Tip::open || counts_.blocks == known) break;
      known = counts_.blocks;
      deflate::add_next_block(job_, counts_.tip_bit);
    }
    return counts_.error == 0 && counts_.tip == deflate::Tip::at_trailer &&
           counts_.bytes == job_.size;
  }

  /// Literals and matches; false if there is an error.
  [[nodiscard]] bool write() {
    match_begin_.resize(counts_.matches);
    matches_.resize(counts_.matches);
    job_.match_begin = match_begin_.data();
    job_.matches = matches_.data();
    first_link_.resize(counts_.matches);
    job_.first_link = first_link_.data();
    for (std::uint32_t k = 0; k < counts_.windows; ++k)
      deflate::write_window(job_, warp_, windows_[k]);
    if (counts_.error != 0) return false;
    const std::uint32_t parts = counts_.windows * deflate::lanes, n = counts_.matches;
    for (std::uint32_t part = 0; part < parts; ++part) deflate::mark_run(job_, part);
    for (std::uint32_t part = 0; part < parts; ++part) deflate::join_run(job_, part);
    for (std::uint32_t round = 1; round <= deflate::rounds; ++round)
      for (std::uint32_t first = 0; first < n; first += deflate::lanes)
        deflate::copy_in_round(job_, batch_, first, n, round);
    return counts_.error == 0 && follow_links(n);
  }

  [[nodiscard]] std::uint32_t crc() const {
    static const CrcTables tables = make_crc_tables();
    static const deflate::CrcSteps steps = deflate::make_crc_steps(tables);
    std::uint32_t sum = shift_crc(tables, ~0U, job_.size);
    for (std::size_t at = 0; at < job_.size; at += deflate::crc_piece) {
      const std::size_t size = std::min<std::size_t>(deflate::crc_piece, job_.size - at);
      const auto rows = static_cast<std::uint32_t>(size / deflate::crc_row);
      std::vector<std::uint32_t> words(rows * deflate::lanes);
      if (rows != 0)
        std::memcpy(words.data(), out_.data() + at, words.size() * sizeof(std::uint32_t));
      std::uint32_t crc = 0;
      for (std::uint32_t lane = 0; lane < deflate::lanes; ++lane)
        crc ^= deflate::crc_of_lane(words.data(), rows, lane, tables, steps);
      for (std::size_t i = rows * deflate::crc_row; i < size; ++i)
        crc = tables.byte[(crc ^ out_[at + i]) & 255U] ^ crc >> 8;
      sum ^= shift_crc(tables, crc, job_.size - at - size);
    }
    return ~sum;
  }

  [[nodiscard]] std::vector<char> bytes() const {
    return {out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(job_.size)};
  }
  [[nodiscard]] const deflate::Counts& counts() const { return counts_; }

 private:
  static constexpr std::uint32_t max_blocks = 4096;

  void find_candidates() {
    std::vector<std::uint8_t> used(4096);
    for (std::uint32_t i = 0; i < used.size(); ++i) used[i] = deflate::words_used_by_four(i);
    std::vector<std::uint8_t> table(deflate::length_table_size);
    deflate::add_next_block(job_, job_.first_bit);
    for (std::uint32_t word = job_.first_bit / 32; word < (job_.end_bit + 31) / 32; ++word) {
      const std::uint32_t* const w = job_.words + word;
      for (std::uint32_t mask = deflate::possible_headers(w[0], w[1], true); mask != 0;
           mask &= mask - 1) {
        const std::uint32_t bit = deflate::lowest_bit(mask), i = (bit + 13) / 32;
        if (!deflate::is_complete({{w[i], w[i + 1], w[i + 2]}, (bit + 13) % 32}, used.data()))
          continue;
        const std::uint32_t at = word * 32 + bit;
        if (at > job_.first_bit && at < job_.end_bit &&
            deflate::verify_header(job_.words, at, table.data(), 1))
          deflate::add_block(job_, at, deflate::dynamic_block, w[0] >> bit & 1U);
      }
    }
  }
  [[nodiscard]] bool follow_links(std::uint32_t n) {
    for (std::uint32_t first = 0; first < n; first += deflate::lanes)
      deflate::count_links(job_, batch_, first, n);
    links_.resize(counts_.links);
    link_begin_.resize(counts_.links);
    job_.links = links_.data();
    job_.link_begin = link_begin_.data();
    for (std::uint32_t first = 0; first < n; first += deflate::lanes)
      deflate::link_matches(job_, batch_, first, n);
    // the last first: of links that follow one another each has its old place still
    for (std::uint32_t time = 0; time < deflate::times_followed; ++time)
      for (std::uint32_t k = counts_.links; k-- > 0;)
        static_cast<void>(deflate::follow_link(job_, k));
    for (std::uint32_t k = 0; k < counts_.links; ++k) {
      if ((links_[k] & deflate::is_final) == 0) return false;
      deflate::copy_link(job_, k);
    }
    return true;
  }
  void sort_blocks() {
    const std::uint32_t n = deflate::count_blocks(job_);
    std::iota(sorted_blocks_.begin(), sorted_blocks_.begin() + n, 0U);
    std::sort(sorted_blocks_.begin(), sorted_blocks_.begin() + n,
              [&](std::uint32_t a, std::uint32_t b) { return begins_[a] < begins_[b]; });
    for (std::uint32_t k = 0; k < n; ++k) sorted_begins_[k] = begins_[sorted_blocks_[k]];
  }
  void scan_from(std::uint32_t known) {
    std::vector<std::uint8_t> table(deflate::length_table_size);
    const std::uint32_t n = deflate::count_blocks(job_);
    for (std::uint32_t id = known; id < n; ++id) {
      deflate::read_header(job_, id, table.data(), 1);
      if (blocks_[id].type == deflate::stored_block) continue;
      const std::uint32_t next = deflate::rank_of(job_, n, begins_[id] + 1);
      deflate::scan_block(job_, warp_, id, next < n ? sorted_begins_[next] : job_.end_bit);
    }
  }
  void follow() {
    const std::uint32_t n = deflate::count_blocks(job_);
    counts_.tip = deflate::Tip::bad;
    if (n == 0 || sorted_begins_[0] != job_.first_bit) return;
    for (std::uint32_t rank = 0; rank < n; ++rank) deflate::find_next(job_, n, rank);
    counts_.bytes = counts_.matches = 0;
    std::uint32_t rank = 0;
    for (;; rank = next_rank_[rank]) {
      const std::uint32_t id = sorted_blocks_[rank];
      first_byte_[id] = static_cast<std::uint32_t>(counts_.bytes);
      first_match_[id] = counts_.matches;
      counts_.bytes += blocks_[id].bytes;
      counts_.matches += blocks_[id].matches;
      if (next_rank_[rank] == deflate::none) break;
    }
    deflate::judge_tip(job_, rank);
  }

  deflate::Job job_{};
  deflate::Counts counts_{};
  deflate::WarpState warp_{};
  deflate::MatchBatch batch_{};
  std::vector<std::uint32_t> words_, candidates_;
  std::vector<deflate::Block> blocks_;
  std::vector<std::uint8_t> code_lengths_;
  std::vector<std::uint32_t> begins_, sorted_begins_, sorted_blocks_, next_rank_, first_byte_,
      first_match_;
  std::vector<deflate::Window> windows_;
  std::vector<deflate::Bucket> buckets_;
  std::vector<std::uint8_t> out_;
  std::vector<std::uint32_t> match_begin_, first_link_, links_, link_begin_;
  std::vector<deflate::Match> matches_;
};

/// The inflated bytes of a gzip file; nothing where the GPU would give nothing.
[[nodiscard]] inline std::optional<std::vector<char>> inflate_on_host(std::span<const char> file) {
  const std::optional<GzipMember> member = read_gzip_member(file);
  if (!member) return std::nullopt;
  HostInflation inflation(file, *member);
  if (!inflation.find_chain() || !inflation.write() || inflation.crc() != member->crc)
    return std::nullopt;
  return inflation.bytes();
}

}  // namespace spex::gpu::test
