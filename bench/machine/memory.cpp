#include "bench/machine/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "bench/machine/cgroups.hpp"
#include "bench/machine/machine.hpp"
#include "reference/core/sys_files.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// Bytes that the processes of a cgroup can still get; nothing without a limit, for which version 2
// has the word "max" and version 1 a huge number.
std::optional<double> left_in(const std::string& cgroup, bool version_2) {
  const auto limit = number_in(cgroup + (version_2 ? "/memory.max" : "/memory.limit_in_bytes"));
  const auto used = number_in(cgroup + (version_2 ? "/memory.current" : "/memory.usage_in_bytes"));
  if (!limit || !used) return std::nullopt;
  // The kernel frees cached files when memory is needed, but not files of tmpfs.
  double cached = 0;
  for (const char* key : {"inactive_file ", "active_file "})
    if (const auto bytes =
            value_in(cgroup + "/memory.stat", (version_2 ? "" : "total_") + std::string(key), ' '))
      cached += std::strtod(bytes->c_str(), nullptr);
  return std::max(0.0, *limit - *used + cached);
}

}  // namespace

std::optional<double> available_memory(const std::string& root) {
  constexpr double bytes_per_kib = 1024;
  std::optional<double> least;
  if (const auto kib = value_in(root + "/proc/meminfo", "MemAvailable", ':'))
    least = bytes_per_kib * std::strtod(kib->c_str(), nullptr);
  for (const Cgroup& own : own_cgroups(root)) {
    const bool version_2 = own.controllers.empty();
    if (!version_2 && own.controllers.find("memory") == std::string::npos) continue;
    // In a container, the topmost cgroup has the container's limit.
    for (fs::path group = own.path; !group.empty(); group = group.parent_path()) {
      if (const auto left = left_in(own.top + group.string(), version_2))
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

double free_space(const std::string& folder, double held, const std::string& root) {
  constexpr double share_of_files = 0.5;
  const double left = static_cast<double>(fs::space(folder).available) + held;
  if (file_system_of(folder) != "tmpfs") return left;
  const std::optional<double> memory = available_memory(root);
  return memory ? std::min(left, share_of_files * (*memory + held)) : left;
}

double bytes_in(const std::string& folder) {
  std::error_code error;  // what cannot be read is not ours
  double bytes = 0;
  for (fs::recursive_directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    std::error_code no_size;
    const std::uintmax_t size = file->is_regular_file(no_size) ? file->file_size(no_size) : 0;
    if (!no_size) bytes += static_cast<double>(size);
  }
  return bytes;
}

}  // namespace spex::bench
