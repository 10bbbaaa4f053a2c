// Files in one archive (tar, gzip), by libarchive; what is read is trusted in nothing.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace spex::bench {

/// Files by their names within an archive: "results/pipeline.json".
using Files = std::map<std::string, std::string>;

/// What an archive may hold at most: files, bytes of a file, and bytes of all files. A file may
/// have more than a run log has that is kept; JSON takes some twenty times its bytes in memory.
inline constexpr std::size_t most_files = 20000;
inline constexpr std::size_t most_bytes_of_file = std::size_t{32} << 20;
inline constexpr std::size_t most_bytes = std::size_t{256} << 20;

/// Whether a name stays within the folder that it is unpacked in, and says nothing to a shell:
/// parts of a-z, A-Z, 0-9, '-', '_' and '.', none of which begins with '.' or '-'.
[[nodiscard]] bool is_safe_name(const std::string& name);

/// Writes an archive; the same files give the same bytes. Throws Error(usage) where `path` does not
/// end in .tar.gz or is there already, Error(data) where it cannot be written.
void write_archive(const std::string& path, const Files& files);

/// All files of an archive, in memory: nothing is unpacked. Throws Error(data) where it cannot be
/// read, or holds what an archive of ours does not: another thing than a file, a name that is not
/// safe or comes twice, too many or too long files.
[[nodiscard]] Files read_archive(const std::string& path);

}  // namespace spex::bench
