// Whether an installation works: its golden cases, and the plan ci.
#pragma once

#include <string>

#include "bench/run/launch.hpp"
#include "bench/run/signals.hpp"

namespace spex::bench {

struct SelfTestSettings {
  std::string out;  ///< folder that keeps the results; where empty, one that is removed afterwards
  LaunchSettings launch;
  bool require_gpu = false;  ///< a GPU that is not there is a failure
};

/// Runs the golden cases that are shipped, by each method and milestone that can run here, and the
/// plan ci. Prints a line for each, which begins with pass, FAIL or skip, and the plan's table.
/// Returns an exit status of docs/results.md: 0, 1 where something could not be run, 3 where a
/// frame is wrong, 5 where the machine is unhealthy. Throws Error where the installation lacks
/// files.
[[nodiscard]] int run_self_test(const SelfTestSettings& settings, Signals& signals);

}  // namespace spex::bench
