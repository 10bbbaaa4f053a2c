// JSON of files that somebody else may have written, and of those that people write.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace spex::bench {

/// Levels of lists and objects that a file may have: copying a value goes down all of them.
inline constexpr int most_json_levels = 64;

/// The value of a text; nothing where the text is no JSON, has too many levels, or an object has a
/// member twice, of which one reader takes the first and another the last.
[[nodiscard]] std::optional<nlohmann::ordered_json> read_json(const std::string& text);

/// The same of a file; nothing, too, where the file cannot be read.
[[nodiscard]] std::optional<nlohmann::ordered_json> read_json_file(const std::string& path);

/// The text of a file that people write: a plan, thresholds. Throws Error(usage) `PATH: ...
/// (EXPECTED)` where the file cannot be read.
[[nodiscard]] std::string read_written(const std::string& path, const std::string& expected);

/// The value of such a text, which may have comments. Throws Error(usage), which names `path`,
/// where `read_json` would return nothing.
[[nodiscard]] nlohmann::ordered_json parse_written(const std::string& text,
                                                   const std::string& path);

}  // namespace spex::bench
