// The steady part of a long run, from the times at which its frames were written.
#pragma once

#include <optional>
#include <vector>

#include "bench/measure/statistics.hpp"

namespace spex::bench {

/// Some frames that were written one after another.
struct FrameBlock {
  int frames = 0;
  double begin_s = 0;  ///< when the frame before the first was written, since the run's first
  double seconds = 0;  ///< from there to when the last was written

  [[nodiscard]] double rate() const { return frames / seconds; }
};

/// A run without its beginning and end, in which not all of the machine has work.
struct SteadyState {
  int first = 0;                   ///< it begins when this frame is written; frames count from 1
  int last = 0;                    ///< and ends when this one is
  FrameBlock all;                  ///< frames first + 1 ... last
  std::vector<FrameBlock> blocks;  ///< `all`, in up to 20 parts of nearly equal numbers of frames
  /// How the rate changes: the part of it by which it rises in an hour. Theil's incomplete method:
  /// of n blocks, block i and block i + n/2 give a slope each; their median, whose interval is that
  /// of order statistics. Nothing with fewer than 4 blocks.
  std::optional<Statistic> drift_per_hour;
};

/// The most that are left out at either end: an exposure.
inline constexpr int most_of_edge = 30;
/// Frames that are left out at the beginning and at the end of a run of `frames`: an exposure, or
/// a tenth of the frames where that is less.
[[nodiscard]] int steady_edge(int frames);

/// Of the times in seconds at which frames were written, in any order. Nothing where fewer than two
/// frames would be left, or all were written at once.
[[nodiscard]] std::optional<SteadyState> steady_state(std::vector<double> written);

/// The frames of a run the first time that each input is met, beside those of inputs that were met
/// before. A program that keeps answers gives the later ones faster. It cannot do so with the
/// first, however far it reads ahead: their time is counted from when the run began to read.
struct FirstPass {
  FrameBlock first;  ///< all of them, and what it takes to start
  FrameBlock later;  ///< from there to the end of the steady part

  /// How many times as fast the later frames came.
  [[nodiscard]] double gain() const { return later.rate() / first.rate(); }
};

/// `written` as above; `began` is when the run began to read, by the same clock. The first
/// `distinct` frames are of inputs that all differ, the others of the same again. Nothing where
/// either part has fewer than 30 frames.
[[nodiscard]] std::optional<FirstPass> first_pass(std::vector<double> written, double began,
                                                  int distinct);

/// How many times as fast frames came in the steady part as over the whole run, from when it began
/// to read to its last frame. A run that is far faster there has held back frames.
[[nodiscard]] double gain_of_steady_part(const SteadyState& steady,
                                         const std::vector<double>& written, double began);

}  // namespace spex::bench
