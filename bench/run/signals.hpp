// Records SIGINT, SIGTERM, SIGHUP and SIGPIPE, so that an interrupted benchmark writes its results.
#pragma once

#include <array>
#include <chrono>
#include <csignal>

namespace spex::bench {

/// While the object lives, SIGINT, SIGTERM, SIGHUP and SIGPIPE do not end the process. SIGHUP and
/// SIGPIPE stay ignored if they were, as under nohup. Only one object may exist at a time.
class Signals {
 public:
  /// Throws Error(internal) if the system has no file descriptors left.
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  /// Returns when a child has ended or another of the signals has arrived since the last call, on
  /// any thread; otherwise after `limit`.
  void wait(std::chrono::milliseconds limit) const;
  [[nodiscard]] static bool interrupted();
  /// How often this process continued (SIGCONT) after it was stopped (SIGSTOP, Ctrl-Z).
  [[nodiscard]] static int times_continued();
  /// The signal mask before construction, which children get.
  [[nodiscard]] const sigset_t& mask_before() const { return mask_before_; }

 private:
  int wake_fd_;  // eventfd to which handlers write
  sigset_t mask_before_{};
  std::array<struct sigaction, 6> actions_before_{};
};

}  // namespace spex::bench
