// The steady part of a long run, from the times at which its frames were written.
#pragma once

#include <optional>
#include <vector>

#include "bench/plan/members.hpp"
#include "bench/result/statistics.hpp"

namespace spex::bench {

/// Some frames that were written one after another.
struct FrameBlock {
  int frames = 0;
  double begin_s = 0;  ///< when the frame before the first was written, since the run's first
  double seconds = 0;  ///< from there to when the last was written

  [[nodiscard]] double rate() const { return frames / seconds; }
  SPEX_MEMBERS(frames, begin_s, seconds)
};

/// Frames of a long run without its beginning and end, in which not all of the machine has work.
struct LongPart {
  int first = 0;       ///< it begins when this frame is written; frames count from 1
  int last = 0;        ///< and ends when this one is
  double seconds = 0;  ///< from there to there
  std::vector<FrameBlock>
      blocks;  ///< the same, in up to 20 parts of nearly equal numbers of frames

  [[nodiscard]] double rate() const { return (last - first) / seconds; }
  SPEX_MEMBERS(first, last, seconds, blocks)
};

/// The most frames that are left out at either end of a run: an exposure.
inline constexpr int most_of_edge = 30;

/// Of the times in seconds at which frames were written, in any order. At the beginning and at the
/// end an exposure is left out, or a tenth of the frames where that is less. Nothing where fewer
/// than two frames would be left, or all were written at once.
[[nodiscard]] std::optional<LongPart> steady_part(std::vector<double> written);

/// How the rate changes: the part of it by which it rises in an hour. Theil's incomplete method:
/// of n blocks, block i and block i + n/2 give a slope each; their median, whose interval is that
/// of order statistics. Nothing with fewer than 4 blocks, or with some written at once.
[[nodiscard]] std::optional<Statistic> drift_per_hour(const LongPart& part);

}  // namespace spex::bench
