#include "bench/machine/free_space.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench/machine/machine.hpp"
#include "reference/core/sys_files.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// Where a version of cgroups keeps its limits of memory. A limit that is not set is the word "max",
// or a huge number.
struct MemoryFiles {
  std::string line;    ///< what follows the number in /proc/self/cgroup, before the path
  std::string folder;  ///< in /sys/fs/cgroup
  std::string limit, used, cache;
};
const std::array<MemoryFiles, 2> versions{
    MemoryFiles{"::", "", "memory.max", "memory.current", ""},
    MemoryFiles{":memory:", "/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"}};

// The cgroup of this process: "/system.slice/job_42"; "" if there is none.
std::string own_cgroup(const std::string& root, const MemoryFiles& files) {
  std::ifstream in(root + "/proc/self/cgroup");
  for (std::string line; std::getline(in, line);)
    if (const std::size_t colon = line.find(':');
        colon != std::string::npos && line.compare(colon, files.line.size(), files.line) == 0)
      return line.substr(colon + files.line.size());
  return "";
}

// Bytes that a cgroup can still get; nothing without a limit.
std::optional<double> left_in(const std::string& cgroup, const MemoryFiles& files) {
  const auto limit = number_in(cgroup + "/" + files.limit);
  const auto used = number_in(cgroup + "/" + files.used);
  if (!limit || !used) return std::nullopt;
  double cached = 0;  // the kernel frees cached files when memory is needed; not those of tmpfs
  for (const char* key : {"inactive_file ", "active_file "})
    if (const auto bytes = value_in(cgroup + "/memory.stat", files.cache + key, ' '))
      cached += std::strtod(bytes->c_str(), nullptr);
  return std::max(0.0, *limit - *used + cached);
}

}  // namespace

std::optional<double> available_memory(const std::string& root) {
  constexpr double bytes_per_kib = 1024;
  std::optional<double> least;
  if (const auto kib = value_in(root + "/proc/meminfo", "MemAvailable", ':'))
    least = bytes_per_kib * std::strtod(kib->c_str(), nullptr);
  for (const MemoryFiles& files : versions) {
    const std::string top = root + "/sys/fs/cgroup" + files.folder;
    // In a container, the topmost cgroup has the container's limit.
    for (fs::path group = own_cgroup(root, files); !group.empty(); group = group.parent_path()) {
      if (const auto left = left_in(top + group.string(), files))
        least = std::min(*left, least.value_or(*left));
      if (group == group.parent_path()) break;
    }
  }
  return least;
}

double out_of_memory_kills(const std::string& root) {
  const auto kills = value_in(root + "/proc/vmstat", "oom_kill ", ' ');
  return kills ? std::strtod(kills->c_str(), nullptr) : 0;
}

double free_space(const std::string& folder, const std::string& root) {
  constexpr double share_of_files = 0.5;
  const auto left = static_cast<double>(fs::space(folder).available);
  if (file_system_of(folder) != "tmpfs") return left;
  const std::optional<double> memory = available_memory(root);
  return memory ? std::min(left, share_of_files * *memory) : left;
}

}  // namespace spex::bench
