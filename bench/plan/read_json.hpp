// Reads untrusted JSON, and JSON that people write.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace spex::bench {

/// Maximum nesting of lists and objects: copying a value is recursive.
inline constexpr int max_json_levels = 64;

/// The value of a text; nothing if the text is not JSON, is nested too deeply, or has a member
/// twice in an object, because readers disagree about which one counts.
[[nodiscard]] std::optional<nlohmann::ordered_json> read_json(const std::string& text);

/// The same of a file; also nothing if the file cannot be read.
[[nodiscard]] std::optional<nlohmann::ordered_json> read_json_file(const std::string& path);

/// The text of a file that people write: a plan or thresholds. Throws Error(usage) `PATH: ...
/// (EXPECTED)` if it cannot be read.
[[nodiscard]] std::string read_written(const std::string& path, const std::string& expected);

/// The value of such a text, which may have comments. Throws Error(usage), which names `path`, if
/// `read_json` would return nothing.
[[nodiscard]] nlohmann::ordered_json parse_written(const std::string& text,
                                                   const std::string& path);

}  // namespace spex::bench
