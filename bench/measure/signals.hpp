// SIGINT and SIGTERM as something to ask for, so that an interrupted benchmark writes what it has.
#pragma once

#include <array>
#include <chrono>
#include <csignal>

namespace spex::bench {

/// While one lives, SIGINT and SIGTERM do not end the process, and SIGCHLD is held back. Made once,
/// in main.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  /// Waits until a child ends or the time is over.
  void wait_for_child(std::chrono::milliseconds time) const;
  /// Whether SIGINT or SIGTERM has arrived.
  [[nodiscard]] static bool interrupted();
  /// The signals' state before, for a child to go back to.
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t child_{};
  sigset_t before_{};
  std::array<struct sigaction, 2> actions_{};
};

}  // namespace spex::bench
