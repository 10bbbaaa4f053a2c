// The child processes of this one, and CPU use of the node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace spex::bench {

/// User and system CPU seconds.
[[nodiscard]] double seconds_of(const rusage& use);

/// This process's children that were not waited for, from /proc; includes those that have ended.
[[nodiscard]] std::vector<pid_t> children();

/// CPU seconds since boot of the CPUs that this process may use, summed; 0 if unknown.
struct CpuUse {
  double busy_s = 0;   ///< of all processes
  double total_s = 0;  ///< with idle time
};
/// Use by /proc/stat (proc(5)). `root` is "" outside tests.
[[nodiscard]] CpuUse cpu_use(const std::string& root = "");

/// CPU seconds since its construction, on the CPUs that this process may use.
class CpuUseSince {
 public:
  CpuUseSince();
  /// Of this process, all of its threads.
  [[nodiscard]] double own_s() const;
  /// Of all other processes, its children among them.
  [[nodiscard]] double others_s() const;

 private:
  double busy_s_, own_s_;
};

/// CPU seconds of the Slurm job that this process belongs to, on this node, by its control group
/// (cgroup v2 or v1); nothing outside of such a job. `root` is "" outside tests.
[[nodiscard]] std::optional<double> job_cpu_s(const std::string& root = "");

}  // namespace spex::bench
