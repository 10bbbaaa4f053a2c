// SIGINT, SIGTERM, SIGHUP and SIGPIPE as something to ask for, so that an interrupted benchmark
// writes what it has.
#pragma once

#include <array>
#include <chrono>
#include <csignal>

namespace spex::bench {

/// While one lives, SIGINT, SIGTERM, SIGHUP and SIGPIPE do not end the process, and SIGCHLD is held
/// back. SIGHUP and SIGPIPE stay ignored where they were, as nohup has it. Made once, in main.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  /// Waits until a child ends or the time is over.
  void wait_for_child(std::chrono::milliseconds time) const;
  [[nodiscard]] static bool interrupted();
  /// How often this process went on after it was stopped (SIGSTOP, Ctrl-Z), by whomever.
  [[nodiscard]] static int times_continued();
  /// The signals' state before, for a child to go back to.
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t child_{};
  sigset_t before_{};
  std::array<struct sigaction, 4> actions_{};
  struct sigaction continued_ {};
  struct sigaction ended_ {};
};

}  // namespace spex::bench
