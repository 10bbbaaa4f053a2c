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

// One run of many was timed too short when ended processes did not count.
TEST(ProcessTree, AChildIsThereUntilItIsWaitedFor) {
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
