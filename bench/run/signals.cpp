#include "bench/run/signals.hpp"

#include <atomic>
#include <cstddef>
#include <ctime>

namespace spex::bench {
namespace {

// A handler has no other way to say anything. Blocking the signals and waiting for them would not
// do: BLAS has threads of its own before main, and any of them may get a signal.
std::atomic<bool> arrived{false};
std::atomic<int> continued{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// SIGPIPE is of who reads what is said, and has gone away.
constexpr std::array<int, 4> interrupts{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

void note(int /*signal*/) {
  arrived = true;
}

void count(int /*signal*/) {
  ++continued;
}

// Whether whoever started this wants it to go on without a terminal or a reader.
bool stays_ignored(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler == SIG_IGN && (signal == SIGHUP || signal == SIGPIPE);
}

}  // namespace

Signals::Signals() {
  // Where it is ignored, which is inherited, children that have ended cannot be waited for.
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &plain, &ended_);
  sigemptyset(&child_);
  sigaddset(&child_, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &child_, &before_);
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < interrupts.size(); ++i)
    sigaction(interrupts[i], stays_ignored(interrupts[i]) ? nullptr : &action, &actions_[i]);
  action.sa_handler = count;
  sigaction(SIGCONT, &action, &continued_);
}

Signals::~Signals() {
  for (std::size_t i = 0; i < interrupts.size(); ++i)
    sigaction(interrupts[i], &actions_[i], nullptr);
  sigaction(SIGCONT, &continued_, nullptr);
  sigaction(SIGCHLD, &ended_, nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Signals::wait_for_child(std::chrono::milliseconds time) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec limit{seconds.count(), static_cast<long>((time - seconds).count()) * 1000000};
  sigtimedwait(&child_, nullptr, &limit);
}

bool Signals::interrupted() {
  return arrived;
}

int Signals::times_continued() {
  return continued;
}

}  // namespace spex::bench
