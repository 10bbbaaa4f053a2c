// What programs and files can still get: memory, and space on disks and in memory.
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
/// at most half of the available memory, because programs need memory too. Files of `held` bytes
/// there count as if they were removed. `root` is "" outside tests. Throws
/// std::filesystem::filesystem_error.
[[nodiscard]] double free_space(const std::string& folder, double held = 0,
                                const std::string& root = "");

/// Bytes of the files in a folder and the folders in it, without those that cannot be read; 0 if
/// there is no such folder.
[[nodiscard]] double bytes_in(const std::string& folder);

}  // namespace spex::bench
