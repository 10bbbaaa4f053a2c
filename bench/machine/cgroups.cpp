#include "bench/machine/cgroups.hpp"

#include <fstream>

namespace spex::bench {

std::vector<Cgroup> own_cgroups(const std::string& root) {
  std::ifstream in(root + "/proc/self/cgroup");
  const std::string folder = root + "/sys/fs/cgroup";
  std::vector<Cgroup> found;
  // Lines such as "0::/PATH" (v2) and "4:cpu,cpuacct:/PATH" (v1).
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    found.push_back({controllers, controllers.empty() ? folder : folder + "/" + controllers,
                     line.substr(second + 1)});
  }
  return found;
}

}  // namespace spex::bench
