#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/machine/process_tree.hpp"
#include "bench/run/command.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

CommandResult run_shell(const std::string& script, Command command = {}) {
  const test::ScratchFolder scratch;
  Signals signals;
  command.argv = {"/bin/sh", "-c", script};
  command.log = scratch.file("log");
  return run_command(command, signals);
}

// Processes that still work when the launcher ends belong to the run.
TEST(Command, EndsWithItsLastProcess) {
  const CommandResult result = run_shell("sleep 0.5 & exit 3");
  EXPECT_EQ(result.status, 3);
  EXPECT_GE(result.seconds, 0.5);
  EXPECT_EQ(result.left_behind, 0);
  EXPECT_LT(run_shell("exit 0").seconds, 0.5);
}

TEST(Command, HelpersAreNotTimed) {
  const std::string sleep = fs::canonical("/bin/sleep");
  const CommandResult result = run_shell("sleep 0.5 & exit 0", {.helpers = {sleep}});
  EXPECT_LT(result.seconds, 0.5);
  EXPECT_EQ(result.left_behind, 0);
}

TEST(Command, LeftoverProcessesAreKilled) {
  const CommandResult result = run_shell("sleep 60 & exit 0");
  EXPECT_EQ(result.left_behind, 1);
  EXPECT_GE(result.seconds, 3);
  EXPECT_LT(result.seconds, 30);
}

// The command ends between a check and the wait for the next one, while another thread may get
// SIGCHLD. A lost signal would cost 100 ms; the fastest of five runs excludes a busy machine.
TEST(Command, ItsEndIsSeenAtOnceWhateverThreadGetsTheSignal) {
  using Clock = std::chrono::steady_clock;
  const std::jthread other([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
  Clock::duration fastest = std::chrono::hours(1);
  for (int i = 0; i < 5; ++i) {
    Clock::time_point ended{};
    const auto wait_for_end = [&] {
      siginfo_t info{};
      waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
      ended = Clock::now();
    };
    EXPECT_EQ(run_shell("sleep 0.1", {.meanwhile = wait_for_end}).status, 0);
    ASSERT_NE(ended, Clock::time_point{});
    fastest = std::min(fastest, Clock::now() - ended);
  }
  EXPECT_LT(fastest, std::chrono::milliseconds(60));
}

// A run was timed too short when ended processes did not count.
TEST(ProcessTree, AChildIsListedUntilItIsWaitedFor) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(children(), std::vector<pid_t>{child});
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(children().empty());
}

}  // namespace
}  // namespace spex::bench
