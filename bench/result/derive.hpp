// All that follows from a record: figures, verdict, and what is missing for an accepted result. The
// one place that computes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/plan/members.hpp"
#include "bench/result/record.hpp"
#include "bench/result/statistics.hpp"

namespace spex::bench {

/// Frames per node-hour by a clock.
struct Figure {
  Statistic seconds;
  std::optional<Statistic> fpnh;  ///< of whole frames, and not in the tier ci
  std::optional<Statistic> frames_per_gpu_hour;
  SPEX_MEMBERS(seconds, fpnh, frames_per_gpu_hour)
};

struct Fom {
  int frames_asked = 0, frames_valid = 0;
  std::optional<int> scaled_to;
  bool complete = false;                        ///< docs/benchmark.md, run rules
  std::vector<std::string> incomplete_because;  ///< why it is not
  int nodes = 0, gpus = 0;
  std::optional<Figure> effective, extraction;  ///< nothing unless all is right and timed
  SPEX_MEMBERS(frames_asked, frames_valid, scaled_to, complete, incomplete_because, nodes, gpus,
               effective, extraction)
};

inline constexpr int night_frames = 1000;

/// What a night would take, by the median of sustained FPNH.
struct Night {
  int frames = night_frames;
  double seconds = 0, node_hours = 0;
  SPEX_MEMBERS(frames, seconds, node_hours)
};

struct Sustained {
  std::optional<double> asked_s;
  std::optional<int> asked_frames;
  std::optional<Statistic> fpnh;       ///< over distinct inputs; of each timed run
  std::optional<Statistic> soak_fpnh;  ///< over all frames, of inputs that come again and again
  std::optional<Statistic> drift_per_hour;  ///< of the last run, over all frames
  std::optional<Night> night;
  SPEX_MEMBERS(asked_s, asked_frames, fpnh, soak_fpnh, drift_per_hour, night)
};

struct Energy {
  std::optional<double> joules_per_frame;
  std::optional<std::string> reason;  ///< why nothing is known
  SPEX_MEMBERS(joules_per_frame, reason)
};

struct RooflinePoint {
  std::string stage;
  double flops = 0, bytes = 0, seconds = 0;
  int gpus = 0;
  double ceiling_flops = 0, ceiling_bytes = 0;
  std::string source;
  SPEX_MEMBERS(stage, flops, bytes, seconds, gpus, ceiling_flops, ceiling_bytes, source)
};

/// Correctness first, then speed, then health; the worst of them is the whole.
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
  std::vector<std::string> unusual;  ///< what a reader should know, and no fault
  Verdict verdict;
  SPEX_MEMBERS(status, fom, sustained, energy, roofline, unusual, verdict)
};

[[nodiscard]] Derived derive(const Record& record);

/// Nothing is left to run: there are as many timed runs that count as were asked for, and the
/// interval is as narrow, or there are as many as there may be; or something is wrong. A throttled
/// run is made again, but no more of them than were asked for.
[[nodiscard]] bool is_done(const Record& record);
/// Nothing is left to run, and the frames of all runs that did not fail were compared.
[[nodiscard]] bool is_complete(const Record& record);
/// What is wrong with frames, runs or golden cases; empty where nothing is.
[[nodiscard]] std::vector<std::string> faults_of(const Record& record);
/// Runs that are left, at least.
[[nodiscard]] int runs_left(const Record& record);
/// FPNH of a long run by which it is judged: that of the first timed run, with an interval over its
/// parts, as a run is one sample.
[[nodiscard]] std::optional<Statistic> sustained_fpnh_to_judge(const Record& record);
/// Seconds of the shortest steady part of all frames of the timed runs; 0 where there is none.
[[nodiscard]] double soak_seconds(const Record& record);

/// Whether a throttle reason means that the machine, not the load or a setting, holds a clock down.
[[nodiscard]] bool is_unhealthy(const std::string& throttle_reason);

/// Whether a result is right, healthy and fast enough (docs/results.md). `fom` is of the record.
[[nodiscard]] Verdict judge(const Record& record, const Fom& fom);

/// The exit status of many: the first of error, unhealthy, incorrect, slow, inconclusive, skipped
/// that is among them, else 0.
[[nodiscard]] int combined_status(const std::vector<int>& statuses);

/// A row an entry on stdout: how it was run, its speed where it is right, its verdict, and what was
/// unusual.
void print_table(const std::vector<Record>& records);

}  // namespace spex::bench
