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
enum class ClockKind { effective, extraction };
[[nodiscard]] std::optional<Figure> figure_of(const EntryRun& run, ClockKind clock,
                                              const std::string& tier = {});

/// FPNH of the steady part of the timed runs of a long run; nothing of others, or unless all is
/// right.
[[nodiscard]] std::optional<Statistic> sustained_fpnh(const EntryRun& run);
/// The same to be judged by: an interval of the median over the parts (`blocks`) of all runs, by
/// order statistics, which holds each run's own FPNH too. A run is one sample, and where it stood
/// still for a while its parts do not show that.
[[nodiscard]] std::optional<Statistic> sustained_fpnh_to_judge(const EntryRun& run);
/// Seconds of the shortest steady part of the runs that count; 0 where there is none.
[[nodiscard]] double sustained_s(const EntryRun& run);
/// Frames of a night at the telescope.
inline constexpr int night_frames = 1000;

}  // namespace spex::bench
