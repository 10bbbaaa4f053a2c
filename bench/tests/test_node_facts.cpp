// Health and facts of a node, from folders like /sys and /proc.

#include <cstdlib>
#include <ctime>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <unistd.h>

#include "bench/machine/cpu_health.hpp"
#include "bench/machine/process_tree.hpp"
#include "bench/machine/system_facts.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

using test::write_file;
using testing::ElementsAre;

TEST(CpuHealth, CountersAreSummed) {
  const test::ScratchFolder scratch;
  const std::string sys = scratch.file("sys");
  EXPECT_FALSE(read_cpu_health(sys).memory_corrected);
  EXPECT_FALSE(read_cpu_health(sys).throttled);
  for (const char* controller : {"mc0", "mc1"}) {
    write_file(sys + "/devices/system/edac/mc/" + controller + "/ce_count", "3\n");
    write_file(sys + "/devices/system/edac/mc/" + controller + "/ue_count", "1\n");
  }
  // Two cores of a package, which has been too hot 5 times.
  for (const char* cpu : {"cpu0", "cpu1"}) {
    write_file(sys + "/devices/system/cpu/" + cpu + "/thermal_throttle/core_throttle_count", "2\n");
    write_file(sys + "/devices/system/cpu/" + cpu + "/thermal_throttle/package_throttle_count",
               "5\n");
  }
  const CpuHealth found = read_cpu_health(sys);
  EXPECT_EQ(found.memory_corrected, 6);
  EXPECT_EQ(found.memory_uncorrected, 2);
  EXPECT_EQ(found.throttled, 9);
}

TEST(JobCpu, IsThatOfTheControlGroupOfTheWholeJob) {
  const test::ScratchFolder scratch;
  const std::string root = scratch.file("root");
  EXPECT_FALSE(job_cpu_s(root));
  write_file(root + "/proc/self/cgroup",
             "0::/system.slice/slurmstepd.scope/job_42/step_batch/task_0\n");
  EXPECT_FALSE(job_cpu_s(root));
  const std::string job = root + "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_42";
  write_file(job + "/cpu.stat", "usage_usec 12500000\nuser_usec 12000000\n");
  write_file(job + "/step_batch/cpu.stat", "usage_usec 1\n");
  EXPECT_EQ(job_cpu_s(root), 12.5);
  // Version 1 has a folder for each group of controllers, and nanoseconds.
  write_file(root + "/proc/self/cgroup",
             "5:freezer:/slurm/uid_0/job_7\n4:cpu,cpuacct:/slurm/uid_0/job_7/step_0\n");
  write_file(root + "/sys/fs/cgroup/cpu,cpuacct/slurm/uid_0/job_7/cpuacct.usage", "2500000000\n");
  EXPECT_EQ(job_cpu_s(root), 2.5);
  write_file(root + "/proc/self/cgroup", "0::/user.slice/user-0.slice\n");
  EXPECT_FALSE(job_cpu_s(root));
}

// A job on a part of a node is not disturbed by work on the other CPUs.
TEST(CpuUse, IsThatOfTheCpusOfThisJob) {
  const test::ScratchFolder scratch;
  const std::string root = scratch.file("root");
  EXPECT_EQ(cpu_use(root).total_s, 0);
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  unsigned mine = 0;
  while (!CPU_ISSET(mine, &before)) ++mine;
  CPU_ZERO(&one);
  CPU_SET(mine, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  const auto tick = static_cast<double>(sysconf(_SC_CLK_TCK));
  write_file(root + "/proc/stat", fmt::format("cpu  9000 0 0 9000 0 0 0 0 0 0\n"
                                              "cpu{} 100 20 30 500 7 4 6 3 0 0\n"
                                              "cpu{} 8000 0 0 4000 0 0 0 0 0 0\n"
                                              "intr 77 1 2 3\n",
                                              mine, mine + 1));
  EXPECT_DOUBLE_EQ(cpu_use(root).busy_s, 160 / tick);
  EXPECT_DOUBLE_EQ(cpu_use(root).total_s, 670 / tick);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

TEST(CpuUseSince, OwnThreadsAreNotOtherProcesses) {
  const double before = cpu_use().busy_s;
  const CpuUseSince use;
  const auto burn = [] {
    timespec used{};
    while (used.tv_sec < 1) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  };
  std::thread other(burn);
  other.join();
  const double others_s = use.others_s(), all_s = cpu_use().busy_s - before;
  EXPECT_GE(use.own_s(), 1);
  if (all_s == 0) GTEST_SKIP() << "this kernel's /proc/stat counts no CPU time";
  // Other tests may run beside this one.
  EXPECT_LE(others_s, all_s - 0.9);
}

TEST(SystemFacts, OfANodeWithTwoSockets) {
  const test::ScratchFolder scratch;
  const std::string root = scratch.file("root");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const std::string folder = root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
    write_file(folder + "topology/physical_package_id", std::to_string(cpu / 4 % 2) + "\n");
    write_file(folder + "topology/core_id", std::to_string(cpu % 2) + "\n");
    write_file(folder + "cpufreq/scaling_governor", "performance\n");
    write_file(folder + "cpufreq/cpuinfo_max_freq", "3500000\n");
  }
  write_file(root + "/sys/devices/system/cpu/cpufreq/boost", "0\n");
  for (const char* node : {"node0", "node1"})
    write_file(root + "/sys/devices/system/node/" + node + "/cpulist", "0-3\n");
  write_file(root + "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  write_file(root + "/proc/cpuinfo",
             "microcode\t: 0xa0011d1\nflags\t\t: fpu vme hypervisor avx2\n");
  write_file(root + "/run/.containerenv", "");
  ASSERT_EQ(setenv("LOADEDMODULES", "gcc/13:openmpi/4.1", 1), 0);
  const SystemFacts facts = read_system_facts(root);
  EXPECT_EQ(facts.sockets, 2);
  EXPECT_EQ(facts.cores, 4);
  EXPECT_EQ(facts.threads_per_core, 2);
  EXPECT_EQ(facts.numa_nodes, 2);
  EXPECT_EQ(facts.governor, "performance");
  EXPECT_EQ(facts.clock_max_mhz, 3500);
  EXPECT_EQ(facts.boost, false);
  EXPECT_EQ(facts.huge_pages, "madvise");
  EXPECT_EQ(facts.microcode, "0xa0011d1");
  EXPECT_EQ(facts.container, "podman");
  EXPECT_EQ(facts.virtual_machine, true);
  EXPECT_THAT(facts.modules, ElementsAre("gcc/13", "openmpi/4.1"));
  EXPECT_THAT(facts.energy, testing::HasSubstr("no counter of the node's power"));
}

TEST(SystemFacts, ANodeThatTellsNothingHasNone) {
  ASSERT_EQ(unsetenv("LOADEDMODULES"), 0);
  const test::ScratchFolder scratch;
  const SystemFacts facts = read_system_facts(scratch.file("none"));
  EXPECT_FALSE(facts.sockets);
  EXPECT_FALSE(facts.governor);
  EXPECT_FALSE(facts.huge_pages);
  EXPECT_FALSE(facts.virtual_machine);
  EXPECT_TRUE(facts.modules.empty());
}

}  // namespace
}  // namespace spex::bench
