// Thresholds of speed for entries of a plan (docs/benchmark.md).
#pragma once

#include <map>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "bench/plan/members.hpp"

namespace spex::bench {

struct Plan;

/// The threshold of an entry on a system.
struct Threshold {
  std::optional<double> fpnh_effective, fpnh_extraction, fpnh_sustained;
  std::optional<double> seconds_effective, seconds_extraction;
  double margin = 0.05;
  std::optional<double> margin_above, fpnh_soak;
  SPEX_ROWS((fpnh_effective, "minimum, less the margin"),
            (fpnh_extraction, "minimum, less the margin"),
            (fpnh_sustained, "minimum of a long run over distinct inputs, less the margin"),
            (seconds_effective, "maximum for an exposure"),
            (seconds_extraction, "maximum for an exposure"),
            (margin, "tolerated fraction below the minimum"),
            (margin_above, "fraction above the minimum from which a result is doubted",
             added_later),
            (fpnh_soak, "minimum of a long run over all frames, less the margin", added_later))
};

/// Thresholds by entry.
using Thresholds = std::map<std::string, Threshold>;

/// The threshold of an entry or a system; `where` names it in errors. Throws Error(usage), which
/// names `path`, if it asks for nothing or has unknown members.
[[nodiscard]] Threshold read_threshold(const std::string& path, const std::string& where,
                                       const nlohmann::ordered_json& json);

/// The thresholds of a file for the plan's entries: its `entries`, overridden by its `systems`
/// under the names of the system and plan. Throws Error(usage) if the file is not a thresholds
/// file, has no thresholds for the plan, names an unknown entry, or requires sustained FPNH of an
/// entry that is not a long run or FPNH of parts of frames.
[[nodiscard]] Thresholds read_thresholds(const std::string& path, const Plan& plan,
                                         const std::string& system);

}  // namespace spex::bench
