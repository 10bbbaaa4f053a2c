// JSON that people write: plans and thresholds.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace spex::bench {

/// The text of such a file. Throws Error(usage) `PATH: ... (EXPECTED)` where it is no file that can
/// be read (a pipe would be waited for), or longer than anybody writes.
[[nodiscard]] std::string read_written(const std::string& path, const std::string& expected);

/// The value of a text that may have comments. Throws nlohmann's exception where it is no JSON, and
/// Error(usage), which names `path`, where it is longer than anybody writes, or an object has a
/// member twice: a program takes one of them, and a reader may take the other.
[[nodiscard]] nlohmann::ordered_json parse_written(const std::string& text,
                                                   const std::string& path);

}  // namespace spex::bench
