// The run log of the program under test (docs/results.md), read as what somebody else wrote.
#pragma once

#include <map>
#include <string>

#include "bench/result/record.hpp"

namespace spex::bench {

/// What the program under test says of its run.
struct RunLog {
  std::string program, milestone;
  int ranks = 0, frames = 0;
  double end_s = 0;  ///< the end of the last event, since its clock began
  double max_rss_bytes = 0;
  std::map<std::string, PhaseSeconds> phases;
  std::int64_t patches = 0, fell_back = 0, failed = 0;  ///< of all frames
};

/// Throws Error(data) where the file is missing or no run log: not JSON of this form, without
/// ranks, frames or events, or with numbers that are negative, or times that end before they begin.
[[nodiscard]] RunLog read_run_log(const std::string& path);

}  // namespace spex::bench
