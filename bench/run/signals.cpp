#include "bench/run/signals.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

// Handlers can only reach globals. Any thread may get a signal, such as one of BLAS, which starts
// its threads before main; so neither a signal mask nor sigtimedwait would work.
std::atomic<bool> interrupt_arrived{false};
std::atomic<int> continued{0};
std::atomic<int> wake_fd{-1};  // Signals::wake_fd_
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void wake_up() {
  const int error = errno;
  eventfd_write(wake_fd, 1);
  errno = error;
}

void on_interrupt(int /*signal*/) {
  interrupt_arrived = true;
  wake_up();
}

void on_continue(int /*signal*/) {
  ++continued;
}

void on_child(int /*signal*/) {
  wake_up();
}

struct Handler {
  int signal;
  void (*function)(int);
};
// SIGPIPE: the reader of our output has exited.
constexpr std::array<Handler, 6> handlers{{{SIGINT, on_interrupt},
                                           {SIGTERM, on_interrupt},
                                           {SIGHUP, on_interrupt},
                                           {SIGPIPE, on_interrupt},
                                           {SIGCONT, on_continue},
                                           {SIGCHLD, on_child}}};

// Whether the caller has this program continue without a terminal or a reader.
bool stays_ignored(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler == SIG_IGN && (signal == SIGHUP || signal == SIGPIPE);
}

}  // namespace

Signals::Signals() : wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_fd_ < 0) throw Error(ErrorKind::internal, "eventfd", std::strerror(errno));
  wake_fd = wake_fd_;
  for (std::size_t i = 0; i < handlers.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = handlers[i].function;
    action.sa_flags = SA_RESTART;
    const bool keep = stays_ignored(handlers[i].signal);
    sigaction(handlers[i].signal, keep ? nullptr : &action, &actions_before_[i]);
  }
  // The mask is inherited, and may block SIGCHLD.
  sigset_t child{};
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  pthread_sigmask(SIG_UNBLOCK, &child, &mask_before_);
}

Signals::~Signals() {
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  for (std::size_t i = 0; i < handlers.size(); ++i)
    sigaction(handlers[i].signal, &actions_before_[i], nullptr);
  wake_fd = -1;
  close(wake_fd_);
}

void Signals::wait(std::chrono::milliseconds limit) const {
  pollfd woken{wake_fd_, POLLIN, 0};
  eventfd_t count = 0;
  if (poll(&woken, 1, static_cast<int>(limit.count())) > 0) eventfd_read(wake_fd_, &count);
}

bool Signals::interrupted() {
  return interrupt_arrived;
}

int Signals::times_continued() {
  return continued;
}

}  // namespace spex::bench
