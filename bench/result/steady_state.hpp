// The steady part of a long run, from the times at which its frames were written.
#pragma once

#include <optional>
#include <vector>

#include "bench/plan/members.hpp"
#include "bench/result/statistics.hpp"

namespace spex::bench {

/// Successive frames of a run, in the order of their writing.
struct FrameBlock {
  int frames = 0;
  double begin_s = 0;
  double seconds = 0;

  [[nodiscard]] double rate() const { return frames / seconds; }
  SPEX_ROWS((frames), (begin_s, "time of the frame before, since the run's first frame"),
            (seconds, "from then to the last frame of the block"))
};

/// The frames of a long run without its start and end, when part of the machine is idle.
struct LongPart {
  int first = 0, last = 0;
  double seconds = 0;
  std::vector<FrameBlock> blocks;

  [[nodiscard]] double rate() const { return (last - first) / seconds; }
  SPEX_ROWS((first, "begins when this frame is written; frames count from 1"),
            (last, "ends when this frame is written"), (seconds, "between these two"),
            (blocks, "the same in up to 20 blocks of nearly equal numbers of frames"))
};

/// Maximum number of frames that are omitted at each end of a run: one exposure.
inline constexpr int max_edge_frames = 30;

/// The steady part, from the times in seconds at which frames were written, in any order. Omits an
/// exposure at each end, or a tenth of the frames if that is less. Nothing if fewer than two frames
/// would be left, or all were written at once.
[[nodiscard]] std::optional<LongPart> steady_part(std::vector<double> written);

/// Relative change of the rate per hour, by Theil's incomplete method: of n blocks, blocks i and i
/// + n/2 give a slope each; the result is their median, with its order-statistic interval. Nothing
/// with fewer than 4 blocks, or if a block was written at once.
[[nodiscard]] std::optional<Statistic> drift_per_hour(const LongPart& part);

}  // namespace spex::bench
