// Whether a result is right, healthy and fast enough, in that order of weight (docs/results.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/measure/statistics.hpp"

namespace spex::bench {

/// What an entry must reach on a system.
struct Threshold {
  std::optional<double> fpnh_effective, fpnh_extraction;  ///< at least, but for the margin
  double margin = 0.05;                                   ///< by which it may stay below
  std::optional<double> margin_above;  ///< by which it may be above, before it is doubted
  std::optional<double> seconds_effective, seconds_extraction;  ///< of an exposure, at most
  std::optional<double> fpnh_sustained;  ///< of a long run, at least, but for the margin

  [[nodiscard]] nlohmann::ordered_json to_json() const;
};

/// What one must reach, as JSON; `where` names it in errors. Throws Error(usage).
[[nodiscard]] Threshold read_threshold(const std::string& path, const std::string& where,
                                       const nlohmann::ordered_json& json);

/// A thresholds file: what each entry must reach.
struct Thresholds {
  std::string path;
  std::map<std::string, Threshold> entries;
};

/// What is asked of whom: a plan on a system.
struct Asked {
  std::string system, plan;
  std::vector<std::string> entries;
  std::vector<std::string> long_runs;  ///< those entries that are
  std::vector<std::string> parts;  ///< those of parts of frames, or of a frame alone: without FPNH
};

/// Those of `entries`, and of `systems` under the system's and the plan's names, which go before
/// the others. Throws Error(usage) where the file is none, has nothing for them, or names an entry
/// that is not one of the plan's, or asks for sustained FPNH of one that is no long run, or for
/// FPNH of parts of frames.
[[nodiscard]] Thresholds read_thresholds(const std::string& path, const Asked& asked);

/// What a verdict is made from.
struct Evidence {
  bool skipped = false;  ///< for want of a GPU, or of nodes
  std::string skipped_because;
  bool complete = true;            ///< all runs were made
  std::string error;               ///< what kept it from being run; empty
  std::vector<std::string> wrong;  ///< what is incorrect: failed runs, frames, golden cases
  int throttled = 0;               ///< samples that do not count
  bool health_known = false;
  std::vector<std::string> unhealthy;  ///< what is
  std::optional<Statistic> fpnh_effective, fpnh_extraction;
  std::optional<Statistic> seconds_effective, seconds_extraction;  ///< of an exposure
  std::optional<Statistic> fpnh_sustained;                         ///< of a long run
  std::string not_sustained_because;  ///< why a long run says nothing of it; empty
  std::optional<Threshold> threshold;
};

struct Verdict {
  std::string correctness, performance, health, overall;
  int exit_status = 0;
  std::vector<std::string> reasons;
  std::optional<Threshold> threshold;  ///< that performance was judged by

  [[nodiscard]] nlohmann::ordered_json to_json() const;
};

/// Correctness first, then speed, then health; the worst of them is the whole (docs/benchmark.md,
/// thresholds and verdict).
[[nodiscard]] Verdict judge(const Evidence& evidence);

/// The exit status of many: the first of error, unhealthy, incorrect, slow, inconclusive, skipped
/// that is among them, else 0.
[[nodiscard]] int combined_status(const std::vector<int>& statuses);

}  // namespace spex::bench
