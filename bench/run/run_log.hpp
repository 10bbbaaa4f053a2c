// Reads the run log of the program under test (docs/results.md), which is untrusted input.
#pragma once

#include <map>
#include <string>

#include "bench/result/record.hpp"

namespace spex::bench {

/// What the run log says about the run.
struct RunLog {
  std::string program, milestone;
  int ranks = 0, frames = 0;
  double end_s = 0;  ///< end of the last event, seconds since the log's start
  double max_rss_bytes = 0;
  std::map<std::string, StageSeconds> stages;
  std::int64_t patches = 0, fell_back = 0, failed = 0;  ///< summed over frames
};

/// Throws Error(data) if the file is missing or not a run log: not JSON of this form, no ranks,
/// frames or events, negative numbers, or events that end before they start.
[[nodiscard]] RunLog read_run_log(const std::string& path);

}  // namespace spex::bench
