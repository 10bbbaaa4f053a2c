// Programs that the benchmark starts, timed from before they start to their end.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/run/signals.hpp"

namespace spex::bench {

struct Command {
  std::vector<std::string> argv = {};                   ///< argv[0] is found by PATH
  std::map<std::string, std::string> environment = {};  ///< besides this process's own
  std::string log = {};                                 ///< file that takes stdout and stderr
  double time_limit_s = 3600;
  double straggling_s = 3;  ///< within which what it leaves behind ends by itself
  /// Programs that may end after it, off its clock: paths, without symbolic links.
  std::vector<std::string> helpers = {};
  std::function<void()> meanwhile = {};  ///< called ten times a second while it runs; may be empty
};

struct CommandResult {
  int status = 0;  ///< exit status; 128 + the signal's number where a signal ended it
  bool timed_out = false;
  bool interrupted = false;
  bool was_stopped = false;  ///< this process was, meanwhile, and saw nothing of it
  /// Seconds by which this machine's clock went on more than time did: somebody set it.
  double clock_was_set_s = 0;
  double start_unix = 0;  ///< just before the start, seconds since 1970
  /// From there to the end of the last process that it started, but for helpers, by a clock that
  /// nobody can set or slow down.
  double seconds = 0;
  int left_behind = 0;  ///< processes that outlived it by seconds, and were then killed
  /// Of all CPUs, in the program, its children and theirs on this node, as far as each was waited
  /// for; those that srun starts are not among them.
  double cpu_s = 0;
};

/// Runs `command` in a process group of its own and waits. An interrupt or the end of its time ends
/// the group: SIGTERM, and SIGKILL 10 s later. Processes that it started, in whatever group, do not
/// outlive it by more than `straggling_s`. One command at a time; the caller has no other children.
/// Throws Error(internal) where it cannot be started.
[[nodiscard]] CommandResult run_command(const Command& command, Signals& signals);

/// The user interrupted the program.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

/// Runs a command that must succeed. Throws Interrupted, or, if the command fails, Error(data) with
/// `where` and the command's last output.
void must_run(const Command& command, const std::string& where, const std::string& expected,
              Signals& signals);

/// How it ended, with its last words: "exit status 1: spex-cpu: r0.fits: ...".
[[nodiscard]] std::string end_of(const CommandResult& result, const std::string& log);

/// The last lines of a command's log that say something, for a message.
[[nodiscard]] std::string last_words(const std::string& log);

}  // namespace spex::bench
