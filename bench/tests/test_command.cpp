#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/machine/process_tree.hpp"
#include "bench/run/command.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

CommandResult run_shell(const std::string& script, const std::vector<std::string>& helpers = {}) {
  const test::ScratchFolder scratch;
  Signals signals;
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  command.log = scratch.file("log");
  command.helpers = helpers;
  return run_command(command, signals);
}

// Whatever is left at work when the launcher ends belongs to the run.
TEST(Command, EndsWithItsLastProcess) {
  const CommandResult result = run_shell("sleep 0.5 & exit 3");
  EXPECT_EQ(result.status, 3);
  EXPECT_GE(result.seconds, 0.5);
  EXPECT_EQ(result.left_behind, 0);
  EXPECT_LT(run_shell("exit 0").seconds, 0.5);
}

TEST(Command, HelpersEndOffItsClock) {
  const std::string sleep = fs::canonical("/bin/sleep");
  const CommandResult result = run_shell("sleep 0.5 & exit 0", {sleep});
  EXPECT_LT(result.seconds, 0.5);
  EXPECT_EQ(result.left_behind, 0);
}

TEST(Command, WhatDoesNotEndIsEnded) {
  const CommandResult result = run_shell("sleep 60 & exit 0");
  EXPECT_EQ(result.left_behind, 1);
  EXPECT_GE(result.seconds, 3);
  EXPECT_LT(result.seconds, 30);
}

using Clock = std::chrono::steady_clock;

// Works for `seconds` of wall time, in a process below one that only waits for it.
pid_t start_grandchild(double seconds) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (const pid_t grandchild = fork(); grandchild != 0) {
    waitpid(grandchild, nullptr, 0);
    _exit(0);
  }
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(seconds));
  while (Clock::now() < end) {
  }
  _exit(0);
}

// While they run, when they have ended, and when they were waited for.
TEST(ProcessTree, CountsProcessesBelowAtAnyDepth) {
  const double before = cpu_seconds_of_descendants();
  const pid_t child = start_grandchild(0.4);
  usleep(300'000);
  const double meanwhile = cpu_seconds_of_descendants();
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  const double ended = cpu_seconds_of_descendants();
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const double after = cpu_seconds_of_descendants();
  // On a machine that does other work they may get less than what they ask for.
  EXPECT_GT(meanwhile, before);
  EXPECT_GE(ended, meanwhile);
  EXPECT_LT(ended - before, 0.6);
  constexpr double tick = 0.02;
  EXPECT_NEAR(after, ended, tick);
}

// What this process does itself is not among it.
TEST(ProcessTree, LeavesOutThisProcess) {
  const double before = cpu_seconds_of_descendants();
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(100);
  while (Clock::now() < end) {
  }
  EXPECT_LT(cpu_seconds_of_descendants() - before, 0.02);
}

}  // namespace
}  // namespace spex::bench
