// Progress writes to stderr; the tests replace stderr by a file or a pseudo-terminal.
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "reference/core/progress.hpp"

namespace spex {
namespace {

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

// Collects log lines until the end of the scope.
class LogTo {
 public:
  explicit LogTo(std::ostringstream& lines) : saved_(spdlog::default_logger()) {
    const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(lines);
    sink->set_pattern("%v");
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("progress", sink));
  }
  LogTo(const LogTo&) = delete;
  LogTo& operator=(const LogTo&) = delete;
  ~LogTo() { spdlog::set_default_logger(saved_); }

 private:
  std::shared_ptr<spdlog::logger> saved_;
};

// The log lines of `steps` steps of a work of `total`, all at `seconds` after its start; stderr is
// not a terminal.
std::string log_lines(long total, int steps, double seconds) {
  std::ostringstream lines;
  const LogTo log(lines);
  const int null = open("/dev/null", O_WRONLY);
  {
    const StderrIs stderr_is(null);
    double now = 100;
    Progress progress("extracting", "patches", total, true, [&now] { return now; });
    now += seconds;
    for (int i = 0; i < steps; ++i) progress.advance();
  }
  close(null);
  return lines.str();
}

TEST(Progress, ShortWorkLogsNothing) {
  EXPECT_EQ(log_lines(40, 40, 0), "");
  EXPECT_EQ(log_lines(40, 40, 4.99), "");
}

TEST(Progress, LongWorkLogsEveryTenth) {
  const std::string lines = log_lines(40, 40, 5);
  std::istringstream stream(lines);
  std::string line;
  int count = 0;
  for (long done = 4; std::getline(stream, line); done += 4, ++count)
    EXPECT_THAT(line, testing::MatchesRegex("extracting: " + std::to_string(done) +
                                            "/40 patches, [0-9.e+]+/s, [0-9]+:[0-9][0-9] left"));
  EXPECT_EQ(count, 10) << lines;
}

// The output of `work` to a terminal on stderr; nothing if no pseudo-terminal is available.
std::optional<std::string> terminal_text(const std::function<void()>& work) {
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
    constexpr int most_ms = 1000;
    if (poll(&waiting, 1, most_ms) <= 0) break;
    std::array<char, 4096> piece{};
    size = read(terminal, piece.data(), piece.size());
    if (size > 0) text.append(piece.data(), static_cast<std::size_t>(size));
  }
  close(terminal);
  return text;
}

TEST(Progress, TerminalLineIsClearedAtTheEnd) {
  const auto text = terminal_text([] {
    Progress progress("extracting", "patches", 2, true);
    progress.advance();
    progress.advance();
  });
  if (!text) GTEST_SKIP() << "no pseudo-terminal here";
  EXPECT_EQ(text->find('\n'), std::string::npos);
  EXPECT_NE(text->find("\rextracting [###############...............] 1/2 patches"),
            std::string::npos)
      << *text;
  EXPECT_NE(text->find("[##############################] 2/2 patches"), std::string::npos) << *text;
  EXPECT_TRUE(text->ends_with("\r\033[K")) << *text;
}

TEST(Progress, TerminalLineIsDrawnAtTheStart) {
  const auto text = terminal_text([] { const Progress progress("simulate", "frames", 3, true); });
  if (!text) GTEST_SKIP() << "no pseudo-terminal here";
  EXPECT_EQ(*text, "\rsimulate [..............................] 0/3 frames\033[K\r\033[K");
}

TEST(Progress, HiddenProgressPrintsNothing) {
  const auto text = terminal_text([] { Progress("extracting", "patches", 1, false).advance(); });
  if (!text) GTEST_SKIP() << "no pseudo-terminal here";
  EXPECT_EQ(*text, "");
}

TEST(Progress, MoreWorkThanTotalFillsTheBar) {
  const auto text = terminal_text([] { Progress("extracting", "patches", 2, true).advance(5); });
  if (!text) GTEST_SKIP() << "no pseudo-terminal here";
  EXPECT_NE(text->find("[##############################] 5/2 patches"), std::string::npos) << *text;
}

}  // namespace
}  // namespace spex
