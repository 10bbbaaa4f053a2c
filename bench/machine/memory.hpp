// Memory that programs and files in memory can still get.
#pragma once

#include <optional>
#include <string>

namespace spex::bench {

/// Memory in bytes that this process can still get: MemAvailable of /proc/meminfo, or less if its
/// cgroup (v2 or v1), or one above it, has a limit. Nothing if the system does not say. `root` is
/// "" outside tests.
[[nodiscard]] std::optional<double> available_memory(const std::string& root = "");

/// Number of processes of the node that the kernel has killed since it was started because memory
/// ran out (/proc/vmstat); 0 if it does not say. `root` is "" outside tests.
[[nodiscard]] double out_of_memory_kills(const std::string& root = "");

/// Bytes that files in an existing folder may still take. If its file system is in memory (tmpfs),
/// at most half of the available memory, because programs need memory too. `root` is "" outside
/// tests. Throws std::filesystem::filesystem_error.
[[nodiscard]] double free_space(const std::string& folder, const std::string& root = "");

}  // namespace spex::bench
