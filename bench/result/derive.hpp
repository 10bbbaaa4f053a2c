// Computes all numbers that follow from a record: figures, verdict, and what an accepted result
// lacks. No other place computes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/plan/members.hpp"
#include "bench/result/record.hpp"
#include "bench/result/statistics.hpp"
#include "reference/core/exit_status.hpp"

namespace spex::bench {

/// Seconds and frames per node-hour (FPNH) by one of the two clocks.
struct Figure {
  Statistic seconds;
  std::optional<Statistic> fpnh, frames_per_gpu_hour;
  SPEX_ROWS((seconds), (fpnh, "of whole frames, outside the tier ci"), (frames_per_gpu_hour))
};

/// Figures of merit.
struct Fom {
  int frames_asked = 0, frames_valid = 0;
  std::optional<int> scaled_to;
  bool complete = false;
  std::vector<std::string> incomplete_because;
  int nodes = 0, gpus = 0;
  std::optional<Figure> effective, extraction;
  SPEX_ROWS((frames_asked), (frames_valid),
            (scaled_to, "frames of the exposure for which fewer frames stand; null: all were run"),
            (complete, "nothing is missing for an accepted result (docs/benchmark.md, run rules)"),
            (incomplete_because, "empty if complete"), (nodes), (gpus),
            (effective, "null unless every frame of every timed run is valid"),
            (extraction, "the same"))
};

inline constexpr int night_frames = 1000;

/// Cost of a night at the median of sustained FPNH.
struct Night {
  int frames = night_frames;
  double seconds = 0, node_hours = 0;
  SPEX_MEMBERS(frames, seconds, node_hours)
};

struct Sustained {
  std::optional<double> asked_s;
  std::optional<int> asked_frames;
  std::optional<Statistic> fpnh, soak_fpnh, drift_per_hour;
  std::optional<Night> night;
  SPEX_ROWS((asked_s), (asked_frames), (fpnh, "over distinct inputs; one value per timed run"),
            (soak_fpnh, "over all frames, including repeated inputs"),
            (drift_per_hour,
             "relative change of the rate per hour, by pairs of blocks of all frames of the last "
             "run"),
            (night, "cost of a night at the median of fpnh"))
};

struct Energy {
  std::optional<double> joules_per_frame, node_joules_per_frame;
  std::optional<std::string> reason;
  SPEX_ROWS((joules_per_frame, "summed over the GPUs of the run; median of the samples"),
            (node_joules_per_frame, "by the node's energy counter", added_later),
            (reason, "why the GPUs have no value"))
};

struct RooflinePoint {
  std::string stage;
  double flops = 0, bytes = 0, seconds = 0;
  int gpus = 0;
  double ceiling_flops = 0, ceiling_bytes = 0;
  std::string source;
  SPEX_ROWS((stage), (flops, "FP64, summed over frames"),
            (bytes, "that must be read and written once"),
            (seconds, "summed over ranks, median of the samples"), (gpus),
            (ceiling_flops, "per second and GPU or core"),
            (ceiling_bytes, "per second and GPU or core"), (source, "of the ceilings"))
};

inline constexpr auto exit_statuses =
    one_of(status::done, status::failed, status::incorrect, status::slow, status::unhealthy,
           status::inconclusive, status::skipped);

/// Judged in this order: correctness, speed, health; `overall` is the worst.
struct Verdict {
  std::string correctness, performance, health, overall;
  int exit_status = 0;
  std::vector<std::string> reasons;
  SPEX_ROWS((correctness, one_of("pass", "fail", "not-judged")),
            (performance, one_of("pass", "fail", "inconclusive", "not-judged")),
            (health, one_of("pass", "fail", "unknown")),
            (overall,
             one_of("pass", "error", "incorrect", "slow", "unhealthy", "inconclusive", "skipped")),
            (exit_status, exit_statuses), (reasons))
};

struct Derived {
  std::string status;
  Fom fom;
  std::optional<Sustained> sustained;
  Energy energy;
  std::vector<RooflinePoint> roofline;
  std::vector<std::string> unusual;
  Verdict verdict;
  SPEX_ROWS((status, one_of("complete", "interrupted", "failed", "skipped")), (fom),
            (sustained, "of a long run; null for others"), (energy), (roofline),
            (unusual,
             "observations that are not faults: a noisy machine, other work on the node, "
             "warnings, dropped runs"),
            (verdict))
};

[[nodiscard]] Derived derive(const Record& record);

/// The runs that count: timed, successful, neither throttled nor disturbed.
[[nodiscard]] std::vector<const Sample*> timed_samples(const Record& record);
/// Observations that a reader should know but that are not faults; what several runs share is one
/// line.
[[nodiscard]] std::vector<std::string> unusual_of(const Record& record);

/// Whether no runs are left: there are enough valid timed runs, and their interval is narrow enough
/// or their maximum number is reached; or the entry failed. A throttled or disturbed run is
/// repeated, but at most as many runs as were requested.
[[nodiscard]] bool is_done(const Record& record);
/// Whether no runs are left and the frames of all successful runs were compared.
[[nodiscard]] bool is_complete(const Record& record);
/// Faults of frames, runs or golden cases; empty if there are none.
[[nodiscard]] std::vector<std::string> faults_of(const Record& record);
/// A lower limit of the number of runs that are left.
[[nodiscard]] int runs_left(const Record& record);
/// The FPNH that judges a long run: that of the first timed run, with an interval over its blocks,
/// because the run itself is a single sample.
[[nodiscard]] std::optional<Statistic> sustained_fpnh_to_judge(const Record& record);
/// The same over all frames, including repeated inputs.
[[nodiscard]] std::optional<Statistic> soak_fpnh_to_judge(const Record& record);
/// Seconds of the shortest steady part of the timed runs; 0 without one.
[[nodiscard]] double soak_seconds(const Record& record);
/// A sentence if the steady part of a timed run was shorter than requested; "" for a run that was
/// not, that failed, or for which no duration is requested.
[[nodiscard]] std::string shortfall_of(const std::optional<Sustain>& requested,
                                       const Sample& sample);

/// Whether a throttle reason shows a fault of the machine, not the load or a setting.
[[nodiscard]] bool is_unhealthy(const std::string& throttle_reason);

/// Whether a result is correct, healthy and fast enough (docs/results.md). `fom` belongs to the
/// record.
[[nodiscard]] Verdict judge(const Record& record, const Fom& fom);

/// The exit status of several: the first of error, unhealthy, incorrect, slow, inconclusive,
/// skipped that occurs, otherwise 0.
[[nodiscard]] int combined_status(const std::vector<int>& statuses);

/// Prints a row per entry: launch, speed if correct, verdict, and unusual observations.
void print_table(const std::vector<Record>& records);

}  // namespace spex::bench
