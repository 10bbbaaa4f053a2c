#include <chrono>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/machine/process_tree.hpp"

namespace spex::bench {
namespace {

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
