// Files in one archive (tar, gzip), by libarchive; archives are untrusted input.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace spex::bench {

/// Files by their names in an archive: "results/pipeline.json".
using Files = std::map<std::string, std::string>;

/// Limits of an archive: files, bytes of a file, bytes of all files. A file may be larger than the
/// largest run log that is kept; JSON takes about 20 times its bytes in memory.
inline constexpr std::size_t max_files = 20000;
inline constexpr std::size_t max_file_bytes = std::size_t{32} << 20;
inline constexpr std::size_t max_archive_bytes = std::size_t{256} << 20;

/// Whether a name stays within the folder in which it is unpacked and is safe in a shell: path
/// components of a-z, A-Z, 0-9, '-', '_' and '.', none of which begins with '.' or '-'.
[[nodiscard]] bool is_safe_name(const std::string& name);

/// Writes an archive; the same files give the same bytes. Throws Error(usage) if `path` does not
/// end in .tar.gz or exists, Error(data) if it cannot be written.
void write_archive(const std::string& path, const Files& files);

/// Reads all files of an archive into memory; nothing is unpacked. Throws Error(data) if it cannot
/// be read or was not written by write_archive: entries other than files, unsafe or repeated names,
/// too many or too large files.
[[nodiscard]] Files read_archive(const std::string& path);

}  // namespace spex::bench
