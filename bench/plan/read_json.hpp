// JSON of files that somebody else may have written, and of those that people write.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace spex::bench {

/// The levels that files of the project have at most, their values, and the members of an object;
/// and more.
inline constexpr int most_json_levels = 64;
inline constexpr int most_json_values = 4'000'000;
inline constexpr int most_json_members = 10'000;

/// The value of a text; nothing where it is no JSON, or more than that: to copy, compare or write a
/// value goes down its levels, and would run out of stack; a value takes many times its bytes in
/// memory, and a member is looked for among all before it. Nothing, too, where an object has a
/// member twice, of which one reader takes the first, and another the last.
[[nodiscard]] std::optional<nlohmann::ordered_json> read_json(const std::string& text);

/// The same of a file; nothing, too, where it cannot be read.
[[nodiscard]] std::optional<nlohmann::ordered_json> read_json_file(const std::string& path);

/// The text of a file that people write: a plan, thresholds. Throws Error(usage) `PATH: ...
/// (EXPECTED)` where it cannot be read, or is longer than anybody writes.
[[nodiscard]] std::string read_written(const std::string& path, const std::string& expected);

/// The value of such a text, which may have comments. Throws nlohmann's exception where it is no
/// JSON, and Error(usage), which names `path`, where it is longer than anybody writes, nested
/// without end, or an object has a member twice.
[[nodiscard]] nlohmann::ordered_json parse_written(const std::string& text,
                                                   const std::string& path);

}  // namespace spex::bench
