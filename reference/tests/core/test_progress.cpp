// Progress writes to stderr.
#include <memory>
#include <sstream>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "reference/core/progress.hpp"
#include "reference/tests/support/terminal.hpp"

namespace spex {
namespace {

using test::StderrIs;
using test::terminal_text;

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
