// Files in one archive (tar, gzip), by libarchive; what is read is trusted in nothing.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace spex::bench {

/// Files by their names within an archive: "results/pipeline.json".
using Files = std::map<std::string, std::string>;

struct ArchiveLimits {
  std::size_t files = 20000;
  /// More than a run log may have that is kept. JSON takes some twenty times its bytes in memory.
  std::size_t bytes_of_file = std::size_t{32} << 20;
  std::size_t bytes = std::size_t{256} << 20;  ///< of all files
};

/// Whether a name stays within the folder that it is unpacked in, and says nothing to a shell:
/// parts of a-z, A-Z, 0-9, '-', '_' and '.', none of which begins with '.' or '-'.
[[nodiscard]] bool is_safe_name(const std::string& name);

/// Writes an archive; the same files give the same bytes. Throws Error(usage) where `path` does not
/// end in .tar.gz or is there already, Error(data) where it cannot be written.
void write_archive(const std::string& path, const Files& files);

/// All files of an archive, in memory: nothing is unpacked. Throws Error(data) where it cannot be
/// read, or holds what an archive of ours does not: another thing than a file, a name that is not
/// safe or comes twice, more or longer files than `limits`.
[[nodiscard]] Files read_archive(const std::string& path, const ArchiveLimits& limits = {});

}  // namespace spex::bench
