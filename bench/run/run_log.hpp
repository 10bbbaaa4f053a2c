// The run log of the program under test (docs/results.md), read as what somebody else wrote.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/result/record.hpp"

namespace spex::bench {

/// What the program under test says of its run.
struct RunLog {
  struct Frame {
    std::string camera;
    std::string input, output;
    long patches = 0, fell_back = 0, failed = 0;
    std::optional<std::string> error;
  };
  std::string program;
  std::string milestone;
  double origin_unix = 0;  ///< when its clock began, seconds since 1970
  double end_s = 0;        ///< the end of the last event, since then
  double max_rss_bytes = 0;
  int ranks = 0;
  std::set<std::string> hosts;  ///< of the ranks
  std::map<std::string, PhaseSeconds> phases;
  std::vector<Frame> frames;
};

/// Throws Error(data) where the file is missing or no run log: not JSON of this form, without
/// ranks, frames or events, or with times that are negative, not finite, or end before they begin.
[[nodiscard]] RunLog read_run_log(const std::string& path);

/// The same of a text, which errors call `name`.
[[nodiscard]] RunLog parse_run_log(const std::string& text, const std::string& name);

}  // namespace spex::bench
