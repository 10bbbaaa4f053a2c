// Small files of /sys and /proc, and variables of the environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spex {

/// The number at the start of a file; nothing if it cannot be read.
[[nodiscard]] std::optional<double> number_in(const std::string& path);

/// The first word of a file; "" if it cannot be read.
[[nodiscard]] std::string word_in(const std::string& path);

/// The value of a variable of the environment; "" if it is not set.
[[nodiscard]] std::string environment(const char* name);

/// The entries of a folder, sorted by path; none if it cannot be read.
[[nodiscard]] std::vector<std::string> entries_of(const std::string& folder);

/// The value after the first `separator` of the first line that starts with `key`; nothing without
/// such a line.
[[nodiscard]] std::optional<std::string> value_in(const std::string& path, const std::string& key,
                                                  char separator);

}  // namespace spex
