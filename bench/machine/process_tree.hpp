// The processes that this one has started, and what they take of the CPUs.
#pragma once

#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace spex::bench {

/// CPU seconds, user and system.
[[nodiscard]] double seconds_of(const rusage& use);

/// This process's children that were not waited for, by /proc: one that has ended and is still to
/// be reaped is among them.
[[nodiscard]] std::vector<pid_t> children();

/// CPU seconds of this node since it started, of all its CPUs; 0 where they are not known.
struct NodeCpu {
  double busy_s = 0;  ///< of all processes
  double all_s = 0;   ///< without work, too
};
[[nodiscard]] NodeCpu node_cpu();

}  // namespace spex::bench
