// Computes all numbers that follow from a record: figures, verdict, and what an accepted result
// lacks. No other place computes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/plan/members.hpp"
#include "bench/result/record.hpp"
#include "bench/result/statistics.hpp"

namespace spex::bench {

/// Seconds and frames per node-hour (FPNH) by one of the two clocks.
struct Figure {
  Statistic seconds;
  std::optional<Statistic> fpnh;  ///< of whole frames, outside the tier ci
  std::optional<Statistic> frames_per_gpu_hour;
  SPEX_MEMBERS(seconds, fpnh, frames_per_gpu_hour)
};

/// Figures of merit.
struct Fom {
  int frames_asked = 0, frames_valid = 0;
  std::optional<int> scaled_to;
  bool complete = false;                        ///< docs/benchmark.md, run rules
  std::vector<std::string> incomplete_because;  ///< empty if complete
  int nodes = 0, gpus = 0;
  std::optional<Figure> effective, extraction;  ///< empty unless all frames are correct and timed
  SPEX_MEMBERS(frames_asked, frames_valid, scaled_to, complete, incomplete_because, nodes, gpus,
               effective, extraction)
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
  std::optional<Statistic> fpnh;            ///< over distinct inputs; one value per timed run
  std::optional<Statistic> soak_fpnh;       ///< over all frames, including repeated inputs
  std::optional<Statistic> drift_per_hour;  ///< of the last run, over all frames
  std::optional<Night> night;
  SPEX_MEMBERS(asked_s, asked_frames, fpnh, soak_fpnh, drift_per_hour, night)
};

struct Energy {
  std::optional<double> joules_per_frame;       ///< of the GPUs
  std::optional<double> node_joules_per_frame;  ///< by the node's counter (NodeMeter)
  std::optional<std::string> reason;            ///< why the GPUs have no value
  SPEX_MEMBERS(joules_per_frame, node_joules_per_frame, reason)
};

struct RooflinePoint {
  std::string stage;
  double flops = 0, bytes = 0, seconds = 0;
  int gpus = 0;
  double ceiling_flops = 0, ceiling_bytes = 0;
  std::string source;
  SPEX_MEMBERS(stage, flops, bytes, seconds, gpus, ceiling_flops, ceiling_bytes, source)
};

/// Judged in this order: correctness, speed, health; `overall` is the worst.
struct Verdict {
  std::string correctness, performance, health, overall;
  int exit_status = 0;
  std::vector<std::string> reasons;
  SPEX_MEMBERS(correctness, performance, health, overall, exit_status, reasons)
};

struct Derived {
  std::string status;  ///< complete, interrupted, failed or skipped
  Fom fom;
  std::optional<Sustained> sustained;
  Energy energy;
  std::vector<RooflinePoint> roofline;
  /// observations that a reader should know but that are not faults
  std::vector<std::string> unusual;
  Verdict verdict;
  SPEX_MEMBERS(status, fom, sustained, energy, roofline, unusual, verdict)
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
