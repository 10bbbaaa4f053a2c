// What the runs of an entry say of its speed.
#pragma once

#include <optional>
#include <string>

#include "bench/campaign/entry_run.hpp"
#include "bench/measure/statistics.hpp"

namespace spex::bench {

/// GPUs of all nodes.
[[nodiscard]] int gpus_of(const EntryRun& run);

/// With all but the coverage times `factor`.
[[nodiscard]] Statistic scaled(Statistic statistic, double factor);

/// Whether the interval is as narrow as was asked for, by both clocks.
[[nodiscard]] bool narrow_enough(const EntryRun& run);

/// Frames per node-hour by a clock; nothing unless all is right and timed.
struct Figure {
  Statistic seconds;
  std::optional<Statistic> fpnh;  ///< of whole frames, and not in the tier ci
  std::optional<Statistic> frames_per_gpu_hour;
};
/// From before the launcher to the last exit, or from the barrier to the last rename.
enum class ClockKind { effective, extraction };
[[nodiscard]] std::optional<Figure> figure_of(const EntryRun& run, ClockKind clock,
                                              const std::string& tier = {});

/// FPNH of the steady part of the timed runs of a long run; nothing of others, or unless all is
/// right.
[[nodiscard]] std::optional<Statistic> sustained_fpnh(const EntryRun& run);
/// The same to be judged by, of the first run alone, as later ones have its inputs again: its FPNH,
/// with an interval over its parts (`blocks`), by order statistics, which holds that FPNH too: a
/// run is one sample, and where it stood still for a while its parts do not show that.
[[nodiscard]] std::optional<Statistic> sustained_fpnh_to_judge(const EntryRun& run);
/// Seconds of the shortest steady part of the runs that count; 0 where there is none.
[[nodiscard]] double sustained_s(const EntryRun& run);
/// Frames of a night at the telescope.
inline constexpr int night_frames = 1000;

}  // namespace spex::bench
