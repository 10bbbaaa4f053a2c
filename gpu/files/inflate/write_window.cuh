// Pass 2: a warp writes the literals of a window and records its matches.
#pragma once

#include "gpu/files/inflate/scan_block.cuh"

namespace spex::gpu::deflate {

/// The sink of a lane's part. Bytes are gathered into words of 8.
class Writer {
 public:
  static constexpr bool needs_values = true;

  /// Writes from byte `at` and match `match` on.
  SPEX_HD Writer(const Job& job, uint32_t at, uint32_t match)
      : job_(&job), begin_(at), at_(at), match_(match) {}
  SPEX_HD void begin() {
    if (at_ % 64 == 0) begin_bucket(at_, match_);
  }

  /// The first `count` <= 8 bytes of `values`.
  SPEX_HD void literals(uint64_t values, uint32_t count) {
    const uint32_t shift = 8 * (at_ % 8), end = at_ + count;
    if (count < 8) values &= (1ULL << (8 * count)) - 1;
    word_ |= values << shift;
    if (at_ / 8 != end / 8) {
      put_word(at_ / 8);
      word_ = shift != 0 ? values >> (64 - shift) : 0;
      const uint32_t begin = end / 8 * 8;
      if (begin % 64 == 0) {
        end_bucket(begin / 64 - 1);
        begin_bucket(begin, match_);
      }
    }
    at_ = end;
  }

  SPEX_HD void match(uint32_t length, uint32_t distance) {
    if (at_ != last_end_ || distance != last_distance_) run_ = at_;
    if (distance > at_) {
      set_bits(job_->counts->error, far_distance);
      distance = at_ != 0 ? at_ : 1;
    }
    const uint32_t end = at_ + length;
    starts_ |= 1ULL << at_ % 64;
    job_->match_begin[match_] = at_;
    job_->matches[match_] =
        static_cast<Match>(run_) << 32 | static_cast<Match>(distance - 1) << 16 | length;
    if (at_ / 8 != end / 8) {
      if (at_ % 8 != 0) put_word(at_ / 8);
      word_ = 0;
    }
    if (at_ / 64 != end / 64) {
      end_bucket(at_ / 64);
      for (uint32_t x = at_ / 64 * 64 + 64; x <= end; x += 64) begin_bucket(x, match_ + 1);
    }
    at_ = last_end_ = end;
    last_distance_ = distance;
    ++match_;
  }

  SPEX_HD void finish() {
    end_bucket(at_ / 64);
    put_bytes(at_ / 8, at_ % 8);
  }

 private:
  /// At a part's end the next part writes the same.
  SPEX_HD void begin_bucket(uint32_t byte, uint32_t matches) {
    job_->buckets[byte / 64].first = matches;
  }
  SPEX_HD void end_bucket(uint32_t bucket) {
    if (starts_ != 0) set_bits(job_->buckets[bucket].starts, starts_);
    starts_ = 0;
  }
  /// Bytes before begin_ are another lane's.
  SPEX_HD void put_word(uint32_t word) {
    if (word * 8 >= begin_)
      *reinterpret_cast<uint64_t*>(job_->out + static_cast<std::size_t>(word) * 8) = word_;
    else
      put_bytes(word, 8);
    word_ = 0;
  }
  SPEX_HD void put_bytes(uint32_t word, uint32_t end) {
    for (uint32_t k = word * 8 >= begin_ ? 0 : begin_ % 8; k < end; ++k)
      job_->out[static_cast<std::size_t>(word) * 8 + k] = static_cast<uint8_t>(word_ >> (8 * k));
  }

  const Job* job_;
  uint64_t word_ = 0;              // bytes of the word at at_
  unsigned long long starts_ = 0;  // of the bucket at at_
  uint32_t begin_, at_, match_, last_end_ = none, last_distance_ = 0, run_ = 0;
};

/// Copies the bytes of a stored block.
SPEX_HD inline void copy_stored(const Job& job, const Window& window) {
  const auto* const from = reinterpret_cast<const uint8_t*>(job.words) + window.begin[0] / 8;
  const uint32_t first = job.first_byte[window.block] + window.byte[0];
  const uint32_t match = job.first_match[window.block] + window.match[0];
  for_lanes([&](uint32_t lane) {
    for (uint32_t i = lane; i < window.stored; i += lanes) {
      const uint32_t at = first + i;
      job.out[at] = from[i];
      if (at % 64 == 0) job.buckets[at / 64].first = match;
    }
  });
}

SPEX_HD inline void write_window(const Job& job, WarpState& warp, const Window& window) {
  const uint32_t first = job.first_byte[window.block];
  if (first == none) return;
  if (window.stored != 0) {
    copy_stored(job, window);
    return;
  }
  load_code_lengths(job, warp, window.block);
  make_tables(warp);
  for_lanes([&](uint32_t lane) {
    const bool active = lane < window.parts;
    const uint32_t stop = lane + 1 < window.parts ? window.begin[lane + 1] : window.end;
    Writer writer(job, first + window.byte[lane],
                  job.first_match[window.block] + window.match[lane]);
    BitReader reader(job.words, window.begin[active ? lane : 0]);
    if (active) writer.begin();
    decode(reader, warp, stop, writer, active);
    if (active) writer.finish();
  });
}

}  // namespace spex::gpu::deflate
