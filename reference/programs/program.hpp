// What every program shares: parsing, --version, logging, and errors as one line with a status.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace spex {

/// Sends spdlog's lines to stderr as `time level program: text`. Where stdin, stdout or stderr is
/// closed, no file that is opened later takes its place.
void set_up_logging(const std::string& program);

/// Sets the level by production's names: debug, info, warn(ing), error, critical.
/// Throws Error(usage) for others.
void set_log_level(const std::string& level);

/// Adds --completion to `app` and parses the command line. False where the program is to end at
/// once (--help, --version and --completion, which print, or an error): `status` is then its exit
/// status. A wrong command line is one line on stderr where `speaks`, and status 2.
[[nodiscard]] bool parse_command_line(CLI::App& app, int argc, char** argv, bool speaks,
                                      int& status);

/// The same of a program whose long options may be abbreviated, by the rules of write_out_options
/// (abbreviations.hpp); `first` are the names that go before others.
[[nodiscard]] bool parse_abbreviated(CLI::App& app, std::span<const std::string_view> first,
                                     int argc, char** argv, bool speaks, int& status);

/// Runs `body` and returns its exit status; an Error or any other exception becomes
/// `program: what` on stderr, one line, and the status of results.md. The line is left out where
/// `speaks` is false: of many ranks with the same error, one speaks.
[[nodiscard]] int run_guarded(const std::string& program, bool speaks,
                              const std::function<int()>& body);
/// The same, always speaking.
[[nodiscard]] int run_guarded(const std::string& program, const std::function<int()>& body);

}  // namespace spex
