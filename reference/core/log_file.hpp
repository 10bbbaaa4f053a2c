// Lines for the user: on stderr, and in a file where one is asked for.
#pragma once

#include <string>

namespace spex {

/// Writes a line to stderr, and to the files of add_log_file; nothing where that cannot be written,
/// as on a full disk: the exit status says the rest then.
void say_line(const std::string& line) noexcept;

/// Appends what spdlog's default logger and say_line write to the file `path` too, each line with
/// its date. Several processes may append to one file. Throws Error(data) where it cannot be
/// opened.
void add_log_file(const std::string& path);

}  // namespace spex
