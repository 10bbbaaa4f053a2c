// SHA-256 of files and texts, by OpenSSL.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spex::bench {

/// 64 hexadecimal digits; nothing if the file cannot be read to its end.
[[nodiscard]] std::optional<std::string> hash_file(const std::string& path);

/// `hash_file` of each path, in order, on all CPUs.
[[nodiscard]] std::vector<std::optional<std::string>> hash_files(
    const std::vector<std::string>& paths);

/// The hash of the concatenated hashes of all files, in order; "" if a file cannot be read.
[[nodiscard]] std::string hash_of_files(const std::vector<std::string>& paths);

/// `hash_file` of the bytes of a text.
[[nodiscard]] std::string hash_text(const std::string& text);

}  // namespace spex::bench
