// The cgroups of this process (cgroups(7)).
#pragma once

#include <string>
#include <vector>

namespace spex::bench {

/// A cgroup of this process. Version 2 has one of all controllers; version 1 has one for each
/// folder of controllers.
struct Cgroup {
  std::string controllers;  ///< of version 1: "cpu,cpuacct"; "" of version 2
  std::string top;          ///< folder of the topmost group: "/sys/fs/cgroup/cpu,cpuacct"
  std::string path;         ///< of the group, below `top`: "/system.slice/job_42"
};

/// Those of /proc/self/cgroup. `root` is "" outside tests.
[[nodiscard]] std::vector<Cgroup> own_cgroups(const std::string& root = "");

}  // namespace spex::bench
