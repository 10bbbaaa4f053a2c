// How long and how often an entry runs, and what counts.
#pragma once

#include <optional>
#include <string>

#include "bench/plan/members.hpp"

namespace spex::bench {

/// A long run without pauses, of a duration or a number of frames.
struct Sustain {
  std::optional<double> seconds;
  std::optional<int> frames;
  SPEX_MEMBERS(seconds, frames)
};

inline constexpr int max_timed_runs = 1000;

/// When to stop timed runs after the entry's number of repeats.
struct Stopping {
  double width = 0;
  int max_runs = 0;
  SPEX_ROWS((width, "of the interval of the median of both clocks, relative to the median"),
            (max_runs, "maximum number of timed runs", Maximum{max_timed_runs}))
};

/// What a run must be like to count, and a speed to be judged.
struct Quiet {
  double other_cpus = 0.05, width = 0.1;
  SPEX_ROWS((other_cpus, "fraction of the CPU time that other processes may take"),
            (width, "widest interval of the median that is judged, relative to the median"))
};

/// Ceilings of the roofline for one GPU.
struct Ceilings {
  double flops = 0, bytes = 0;
  std::string source;
  SPEX_ROWS((flops, "FP64, per second"), (bytes, "of memory, per second"), (source))
};

}  // namespace spex::bench
