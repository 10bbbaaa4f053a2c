// What a machine must reach: a thresholds file (docs/benchmark.md).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "bench/plan/members.hpp"

namespace spex::bench {

struct Plan;

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

/// By entry.
using Thresholds = std::map<std::string, Threshold>;

/// What a thresholds file asks of the plan's entries: its `entries`, and its `systems` under the
/// names of the system and the plan, which go before the others. Throws Error(usage) where the file
/// is none, has nothing for them, names an entry that is not one of the plan's, or asks for
/// sustained FPNH of one that is no long run, or for FPNH of parts of frames.
[[nodiscard]] Thresholds read_thresholds(const std::string& path, const Plan& plan,
                                         const std::string& system);

}  // namespace spex::bench
