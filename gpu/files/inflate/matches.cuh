// Resolution of matches. In a few rounds those are copied whose sources were copied in rounds
// before. The bytes of the rest, which may depend on one another in chains of any length, get links
// to their sources; links are followed all at once, each time further.
#pragma once

#include "gpu/files/inflate/job.cuh"

namespace spex::gpu::deflate {

/// The match that made an inflated byte, or none; bytes before `end` are of the same kind.
struct Origin {
  uint32_t match, end;
  Match value;
};
SPEX_HD inline Origin origin_of(const Job& job, uint32_t byte) {
  const Bucket bucket = job.buckets[byte / 64];
  const uint32_t begin = byte / 64 * 64;
  const unsigned long long upto = ~0ULL >> (63 - byte % 64);
  const unsigned long long before = bucket.starts & upto, after = bucket.starts & ~upto;
  const uint32_t next = after != 0 ? begin + first_bit(after) : begin + 64;
  const uint32_t matches = bucket.first + count_bits(before);
  if (matches == 0) return {none, next, 0};
  const Match match = load_relaxed(job.matches[matches - 1]);
  const uint32_t start = before != 0 ? begin + last_bit(before) : job.match_begin[matches - 1];
  const uint32_t end = start + length_of(match);
  if (byte >= end) return {none, next, 0};
  return {matches - 1, end, match};
}

/// The matches of a lane's part of a window, [first, end); none if it is outside the chain.
struct PartMatches {
  uint32_t first, end;
};
SPEX_HD inline PartMatches matches_of_part(const Job& job, uint32_t part) {
  const Window& window = job.windows[part / lanes];
  const uint32_t lane = part % lanes;
  if (lane >= window.parts || job.first_byte[window.block] == none) return {0, 0};
  const uint32_t first = job.first_match[window.block] + window.match[lane];
  return {first, first + window.matches[lane]};
}

/// One thread a part: marks a part's first match if its run began in an earlier part. Later parts
/// may do the same to the match before, whose other bits stay.
SPEX_HD inline void mark_run(const Job& job, uint32_t part) {
  const PartMatches of = matches_of_part(job, part);
  if (of.end <= of.first || of.first == 0) return;
  const Match before = job.matches[of.first - 1], first = job.matches[of.first];
  if (distance_of(before) == distance_of(first) &&
      job.match_begin[of.first - 1] + length_of(before) == job.match_begin[of.first])
    job.matches[of.first] = first | run_goes_on;
}

/// One thread a part: gives the run that goes on its true first byte. Other threads may do so
/// meanwhile for earlier parts, which only makes the way shorter.
SPEX_HD inline void join_run(const Job& job, uint32_t part) {
  constexpr uint32_t max_steps = 1U << 22;
  const PartMatches of = matches_of_part(job, part);
  if (of.end <= of.first) return;
  const Match first = job.matches[of.first];
  if ((first & run_goes_on) == 0) return;
  uint32_t match = of.first, run = 0;
  for (uint32_t steps = 0;; ++steps) {
    run = run_of(load_relaxed(job.matches[match - 1]));
    match = origin_of(job, run).match;
    if (match == none || steps == max_steps) {
      set_bits(job.counts->error, open_run);
      return;
    }
    if ((load_relaxed(job.matches[match]) & run_goes_on) == 0) break;
  }
  for (uint32_t k = of.first; k < of.end && run_of(job.matches[k]) == run_of(first); ++k)
    store_relaxed(job.matches[k],
                  static_cast<Match>(run) << 32 | static_cast<uint32_t>(job.matches[k]));
}

/// The byte that byte `at` of a match equals. It stands before the match's run.
SPEX_HD inline uint32_t source_of(uint32_t at, Match match) {
  const uint32_t run = run_of(match), distance = distance_of(match), k = at - run;
  return run - distance + (k < distance ? k : k % distance);
}

/// Whether the sources of a match's bytes were copied before this round.
SPEX_HD inline bool has_sources(const Job& job, uint32_t begin, Match match, uint32_t round) {
  const uint32_t length = length_of(match), distance = distance_of(match);
  const uint32_t needed = length < distance ? length : distance;
  for (uint32_t checked = 0; checked < needed;) {
    const uint32_t source = source_of(begin + checked, match);
    const Origin origin = origin_of(job, source);
    if (origin.match != none) {
      const uint32_t copied = round_of(origin.value);
      if (copied == 0 || copied == round) return false;
    }
    checked += origin.end - source;
  }
  return true;
}

/// One lane: copies a match's bytes, four loads at once.
SPEX_HD inline void copy_short(uint8_t* out, uint32_t begin, Match match) {
  const uint32_t length = length_of(match);
  for (uint32_t i = 0; i < length; i += 4) {
    uint32_t four = 0;
    for (uint32_t k = 0; k < 4 && i + k < length; ++k)
      four |= static_cast<uint32_t>(out[source_of(begin + i + k, match)]) << (8 * k);
    for (uint32_t k = 0; k < 4 && i + k < length; ++k)
      out[begin + i + k] = static_cast<uint8_t>(four >> (8 * k));
  }
}
/// A warp copies a match's bytes.
SPEX_HD inline void copy_long(uint8_t* out, uint32_t begin, Match match) {
  for_lanes([&](uint32_t lane) {
    for (uint32_t k = lane; k < length_of(match); k += lanes)
      out[begin + k] = out[source_of(begin + k, match)];
  });
}

/// 32 matches of a warp in shared memory.
struct MatchBatch {
  Match match[lanes];
  uint32_t begin[lanes];
  uint32_t link;  ///< the first link of the batch
};
inline constexpr uint32_t short_match = 16;  ///< bytes that one lane copies

/// Loads up to 32 of `n` matches, from `first` on, and returns those not copied, as bits.
SPEX_HD inline uint32_t load_open(const Job& job, MatchBatch& batch, uint32_t first, uint32_t n) {
  const uint32_t open = vote([&](uint32_t lane) {
    if (first + lane >= n) return false;
    batch.match[lane] = load_relaxed(job.matches[first + lane]);
    return round_of(batch.match[lane]) == 0;
  });
  if (open != 0)
    for_lanes([&](uint32_t lane) {
      if ((open >> lane & 1U) != 0) batch.begin[lane] = job.match_begin[first + lane];
    });
  return open;
}

/// Those of the matches that a warp rather than a lane takes.
SPEX_HD inline uint32_t long_matches(const MatchBatch& batch, uint32_t of) {
  return vote([&](uint32_t lane) {
    return (of >> lane & 1U) != 0 && length_of(batch.match[lane]) > short_match;
  });
}

/// A round for up to 32 of `n` matches from `first` on.
SPEX_HD inline void copy_in_round(const Job& job, MatchBatch& batch, uint32_t first, uint32_t n,
                                  uint32_t round) {
  const uint32_t open = load_open(job, batch, first, n);
  if (open == 0) return;
  const uint32_t ready = vote([&](uint32_t lane) {
    return (open >> lane & 1U) != 0 &&
           has_sources(job, batch.begin[lane], batch.match[lane], round);
  });
  uint32_t longs = long_matches(batch, ready);
  for_lanes([&](uint32_t lane) {
    if (((ready & ~longs) >> lane & 1U) != 0)
      copy_short(job.out, batch.begin[lane], batch.match[lane]);
  });
  for (; longs != 0; longs &= longs - 1) {
    const uint32_t lane = lowest_bit(longs);
    copy_long(job.out, batch.begin[lane], batch.match[lane]);
  }
  for_lanes([&](uint32_t lane) {
    if ((ready >> lane & 1U) != 0)
      store_relaxed(job.matches[first + lane], with_round(batch.match[lane], round));
  });
}

/// Gives the bytes of up to 32 matches that are not copied a link each.
SPEX_HD inline void count_links(const Job& job, MatchBatch& batch, uint32_t first, uint32_t n) {
  const uint32_t open = load_open(job, batch, first, n);
  if (open == 0) return;
  const auto links_before = [&](uint32_t lane) {
    uint32_t sum = 0;
    for (uint32_t l = 0; l < lane; ++l)
      if ((open >> l & 1U) != 0) sum += length_of(batch.match[l]);
    return sum;
  };
  for_lanes([&](uint32_t lane) {
    if (lane == 0) batch.link = add_to(job.counts->links, links_before(lanes));
  });
  for_lanes([&](uint32_t lane) {
    if ((open >> lane & 1U) != 0) job.first_link[first + lane] = batch.link + links_before(lane);
  });
}

/// Links byte k of a match to its source: to the byte, if that is final, else to its link.
SPEX_HD inline void link_byte(const Job& job, const MatchBatch& batch, uint32_t first,
                              uint32_t lane, uint32_t k) {
  const uint32_t source = source_of(batch.begin[lane] + k, batch.match[lane]);
  const Origin origin = origin_of(job, source);
  const uint32_t link = job.first_link[first + lane] + k;
  const bool is_open = origin.match != none && round_of(origin.value) == 0;
  job.links[link] =
      is_open ? job.first_link[origin.match] + source - (origin.end - length_of(origin.value))
              : is_final | source;
  job.link_begin[link] = batch.begin[lane] + k;
}

/// Links the bytes of up to 32 matches.
SPEX_HD inline void link_matches(const Job& job, MatchBatch& batch, uint32_t first, uint32_t n) {
  const uint32_t open = load_open(job, batch, first, n);
  if (open == 0) return;
  uint32_t longs = long_matches(batch, open);
  for_lanes([&](uint32_t lane) {
    if (((open & ~longs) >> lane & 1U) == 0) return;
    for (uint32_t k = 0; k < length_of(batch.match[lane]); ++k)
      link_byte(job, batch, first, lane, k);
  });
  for (; longs != 0; longs &= longs - 1) {
    const uint32_t of = lowest_bit(longs);
    for_lanes([&](uint32_t lane) {
      for (uint32_t k = lane; k < length_of(batch.match[of]); k += lanes)
        link_byte(job, batch, first, of, k);
    });
  }
}

/// Follows a link: it becomes one that is `hops` further at least, or final. Others change
/// meanwhile, and then lead further. Returns whether it is final.
SPEX_HD inline bool follow_link(const Job& job, uint32_t k) {
  constexpr uint32_t hops = 8;
  uint32_t link = job.links[k];
  if ((link & is_final) != 0) return true;
  for (uint32_t hop = 0; hop < hops && (link & is_final) == 0; ++hop) link = job.links[link];
  job.links[k] = link;
  return (link & is_final) != 0;
}
/// Times that all links are followed: 9 to this power is more than there can be matches.
inline constexpr uint32_t times_followed = 10;

/// Copies the byte of a link.
SPEX_HD inline void copy_link(const Job& job, uint32_t k) {
  job.out[job.link_begin[k]] = job.out[job.links[k] & ~is_final];
}

}  // namespace spex::gpu::deflate
