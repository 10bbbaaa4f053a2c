// Replaces stderr, by a file or a pseudo-terminal.
#pragma once

#include <array>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace spex::test {

// Redirects stderr until the end of the scope.
class StderrIs {
 public:
  explicit StderrIs(int file) : saved_(dup(STDERR_FILENO)) { dup2(file, STDERR_FILENO); }
  StderrIs(const StderrIs&) = delete;
  StderrIs& operator=(const StderrIs&) = delete;
  ~StderrIs() {
    dup2(saved_, STDERR_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

// The output of `work` to a terminal on stderr; nothing if no pseudo-terminal is available.
inline std::optional<std::string> terminal_text(const std::function<void()>& work) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return std::nullopt;
  const int side = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  if (side < 0) return std::nullopt;
  {
    const StderrIs stderr_is(side);
    work();
  }
  close(side);
  // The kernel delivers a terminal's output asynchronously, in pieces; EIO marks the end.
  std::string text;
  for (ssize_t size = 0; size >= 0;) {
    pollfd waiting{terminal, POLLIN, 0};
    constexpr int max_ms = 1000;
    if (poll(&waiting, 1, max_ms) <= 0) break;
    std::array<char, 4096> piece{};
    size = read(terminal, piece.data(), piece.size());
    if (size > 0) text.append(piece.data(), static_cast<std::size_t>(size));
  }
  close(terminal);
  return text;
}

}  // namespace spex::test
