// Functions shared by all programs: parsing, --version, logging, one-line errors and exit statuses.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace spex {

/// Sends spdlog's lines to stderr as `time level program: text`. If stdin, stdout or stderr is
/// closed, reserves its descriptor. Threads of BLAS that may never end do not hold up the exit.
void set_up_logging(const std::string& program);

/// The same, and BLAS uses no threads beside the program's own.
void set_up_program(const std::string& program);

/// Sets the log level by production's names: debug, info, warn(ing), error, critical. Throws
/// Error(usage) for other names.
void set_log_level(const std::string& level);

/// Adds --completion to `app` and parses the command line. Returns false if the program must exit
/// at once, with `status` as its exit status: after --help, --version or --completion, or after an
/// error (status 2), reported as one line on stderr if `speaks`.
[[nodiscard]] bool parse_command_line(CLI::App& app, int argc, char** argv, bool speaks,
                                      int& status);

/// The same for a program whose long options may be abbreviated, by the rules of write_out_options
/// (abbreviations.hpp); `first` names take precedence.
[[nodiscard]] bool parse_abbreviated(CLI::App& app, std::span<const std::string_view> first,
                                     int argc, char** argv, bool speaks, int& status);

/// Runs `body` and returns its exit status. Reports an exception as one line `program: what` on
/// stderr and returns its status (results.md). Prints nothing if `speaks` is false, so that only
/// one of many ranks reports the same error.
[[nodiscard]] int run_guarded(const std::string& program, bool speaks,
                              const std::function<int()>& body);
/// The same with `speaks` = true.
[[nodiscard]] int run_guarded(const std::string& program, const std::function<int()>& body);

}  // namespace spex
