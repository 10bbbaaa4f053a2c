// Log lines for the user: to stderr, and optionally to a file.
#pragma once

#include <string>

namespace spex {

/// Writes a line to stderr and to the files of add_log_file. Ignores write errors, such as a full
/// disk; the exit status still reports the failure.
void say_line(const std::string& line) noexcept;

/// Appends the output of spdlog's default logger and of say_line to the file `path`, with a
/// timestamp on each line. Several processes may append to the same file. Throws Error(data) if the
/// file cannot be opened.
void add_log_file(const std::string& path);

}  // namespace spex
