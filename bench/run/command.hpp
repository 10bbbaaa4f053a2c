// Starts programs and times them, from just before the start to the end of their last process.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/run/signals.hpp"

namespace spex::bench {

struct Command {
  std::vector<std::string> argv = {};                   ///< argv[0] is searched on the PATH
  std::map<std::string, std::string> environment = {};  ///< added to this process's variables
  std::string log = {};                                 ///< file that receives stdout and stderr
  double time_limit_s = 3600;
  double grace_s = 3;  ///< seconds that leftover processes have to end by themselves
  /// Programs that may end later and are not timed: canonical paths.
  std::vector<std::string> helpers = {};
  std::function<void()> meanwhile = {};  ///< called about every 100 ms during the run; may be empty
};

struct CommandResult {
  int status = 0;  ///< exit status; 128 + the signal's number if a signal ended the command
  bool timed_out = false;
  bool interrupted = false;
  bool was_stopped = false;  ///< this process was stopped (SIGSTOP) during the run
  /// Step of the system clock during the run: CLOCK_REALTIME - CLOCK_MONOTONIC_RAW, seconds.
  double clock_step_s = 0;
  double start_unix = 0;  ///< just before the start, seconds since 1970
  /// From the start to the end of the command's last process except helpers, by
  /// CLOCK_MONOTONIC_RAW, which nobody can set or adjust.
  double seconds = 0;
  int left_behind = 0;  ///< processes that were killed after the grace period
  /// CPU seconds of the command and its descendants on this node that were waited for. srun's tasks
  /// are not descendants.
  double cpu_s = 0;
};

/// Runs `command` in its own process group and waits for it. An interrupt or the time limit ends
/// the group, by SIGTERM and, 10 s later, SIGKILL. Its descendants of any group are killed
/// `grace_s` after it ended. Only one command may run at a time, and the caller may have no other
/// children. Throws Error(internal) if the command cannot be started.
[[nodiscard]] CommandResult run_command(const Command& command, Signals& signals);

/// The user interrupted the program.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

/// Runs a command that must succeed. Throws Interrupted, or, if the command fails, Error(data) with
/// `where` and the command's last output.
void must_run(const Command& command, const std::string& where, const std::string& expected,
              Signals& signals);

/// The exit status with the last message of the log: "exit status 1: spex-cpu: r0.fits: ...".
[[nodiscard]] std::string end_of(const CommandResult& result, const std::string& log);

/// The last error of one of our programs in a log, or else the last line that is not blank; at most
/// 1000 characters, with '?' for what is not printable ASCII.
[[nodiscard]] std::string last_message(const std::string& log);

}  // namespace spex::bench
