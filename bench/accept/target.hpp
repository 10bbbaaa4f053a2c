// What a machine must reach to be accepted.
#pragma once

#include <string>

#include "bench/result/thresholds.hpp"

namespace spex::bench {

/// What is asked of every entry of a plan.
struct Target {
  std::string text;  ///< for people: "30 frames within 900 s, from launch to exit"
  Threshold threshold;
};

/// DESI takes an exposure of 30 frames every 15 minutes.
inline constexpr const char* default_target = "15min";

/// A target as it is typed: the time of an exposure of 30 frames ("15min", "900s", "0.25h"), or
/// frames per node-hour ("20000"). Times are from launch to exit. Throws Error(usage).
[[nodiscard]] Target parse_target(const std::string& text);

/// The effective FPNH of an earlier result. `path` is a result file, or a folder of results that
/// has exactly one with FPNH. Throws Error(usage) where there is none.
[[nodiscard]] Target target_of_result(const std::string& path);

}  // namespace spex::bench
