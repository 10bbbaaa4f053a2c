// What a machine must reach: a thresholds file (docs/benchmark.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/plan/members.hpp"

namespace spex::bench {

/// What an entry must reach on a system.
struct Threshold {
  std::optional<double> fpnh_effective, fpnh_extraction;  ///< at least, but for the margin
  double margin = 0.05;                                   ///< by which it may stay below
  std::optional<double> margin_above;  ///< by which it may be above, before it is doubted
  std::optional<double> seconds_effective, seconds_extraction;  ///< of an exposure, at most
  std::optional<double> fpnh_sustained;  ///< of a long run, at least, but for the margin
  SPEX_MEMBERS(fpnh_effective, fpnh_extraction, fpnh_sustained, seconds_effective,
               seconds_extraction, margin, margin_above)
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

}  // namespace spex::bench
