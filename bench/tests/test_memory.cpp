#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "bench/machine/machine.hpp"
#include "bench/machine/memory.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using test::write_file;

// A node of which a MiB of memory is available.
void write_meminfo(const std::string& root) {
  write_file(root + "/proc/meminfo", "MemTotal:        4096 kB\nMemAvailable:    1024 kB\n");
}

TEST(AvailableMemory, IsThatOfTheNodeOrOfTheSmallestCgroupAboveTheProcess) {
  const test::ScratchFolder scratch;
  const std::string root = scratch.file("root");
  EXPECT_FALSE(available_memory(root));
  write_meminfo(root);
  EXPECT_EQ(available_memory(root), 1048576);
  write_file(root + "/proc/self/cgroup", "1:name=systemd:/other\n0::/system.slice/job_42/step_0\n");
  const std::string job = root + "/sys/fs/cgroup/system.slice/job_42";
  write_file(job + "/step_0/memory.max", "max\n");
  write_file(job + "/step_0/memory.current", "500\n");
  EXPECT_EQ(available_memory(root), 1048576);
  write_file(job + "/memory.max", "900000\n");
  write_file(job + "/memory.current", "600000\n");
  EXPECT_EQ(available_memory(root), 300000);
  // The cache of files on disks can be freed, files in memory (shmem) cannot.
  write_file(job + "/memory.stat",
             "file 90000\nshmem 50000\ninactive_file 30000\nactive_file 10000\n");
  EXPECT_EQ(available_memory(root), 340000);
  // In a container, the process sees its own cgroup as the topmost.
  write_file(root + "/proc/self/cgroup", "0::/\n");
  write_file(root + "/sys/fs/cgroup/memory.max", "1000\n");
  write_file(root + "/sys/fs/cgroup/memory.current", "2000\n");
  EXPECT_EQ(available_memory(root), 0);
}

TEST(AvailableMemory, IsLimitedByCgroupsOfVersion1Too) {
  const test::ScratchFolder scratch;
  const std::string root = scratch.file("root");
  write_meminfo(root);
  write_file(root + "/proc/self/cgroup",
             "5:cpu,cpuacct:/\n4:memory:/slurm/uid_0/job_7/step_0\n0::/\n");
  const std::string memory = root + "/sys/fs/cgroup/memory";
  write_file(memory + "/memory.limit_in_bytes", "9223372036854771712\n");  // no limit
  write_file(memory + "/memory.usage_in_bytes", "5000000\n");
  EXPECT_EQ(available_memory(root), 1048576);
  write_file(memory + "/slurm/uid_0/job_7/memory.limit_in_bytes", "900000\n");
  write_file(memory + "/slurm/uid_0/job_7/memory.usage_in_bytes", "600000\n");
  write_file(memory + "/slurm/uid_0/job_7/memory.stat",
             "inactive_file 7\ntotal_inactive_file 30000\ntotal_active_file 10000\n");
  EXPECT_EQ(available_memory(root), 340000);
}

TEST(OutOfMemory, TheKernelCountsTheProcessesThatItKills) {
  const test::ScratchFolder scratch;
  const std::string root = scratch.file("root");
  EXPECT_EQ(out_of_memory_kills(root), 0);
  write_file(root + "/proc/vmstat", "nr_free_pages 7\noom_kill 3\nnuma_hit 9\n");
  EXPECT_EQ(out_of_memory_kills(root), 3);
}

TEST(FreeSpace, FilesInMemoryLeaveHalfOfItToPrograms) {
  const test::ScratchFolder scratch;
  const std::string root = scratch.file("root"), memory = "/dev/shm";
  write_meminfo(root);
  if (file_system_of(memory) != "tmpfs") GTEST_SKIP() << "/dev/shm is not in memory";
  if (fs::space(memory).available < 1048576) GTEST_SKIP() << "/dev/shm is almost full";
  EXPECT_EQ(free_space(memory, 0, root), 524288);
}

TEST(FreeSpace, OfADiskDoesNotDependOnMemory) {
  const test::ScratchFolder scratch;
  const std::string root = scratch.file("root");
  write_meminfo(root);
  if (file_system_of(root) == "tmpfs") GTEST_SKIP() << root << " is in memory";
  EXPECT_GT(free_space(root, 0, root), 1048576);
}

// An interrupted acceptance continues, or starts again, on the disk that it has filled.
TEST(FreeSpace, CountsFilesThatAreUsedAgainOrRemoved) {
  const test::ScratchFolder scratch;
  const std::string root = scratch.file("root"), data = scratch.file("data"), memory = "/dev/shm";
  EXPECT_EQ(bytes_in(data), 0);
  write_file(data + "/inputs/a", "123");
  write_file(data + "/b", "45");
  EXPECT_EQ(bytes_in(data), 5);
  write_meminfo(root);
  if (file_system_of(memory) != "tmpfs") GTEST_SKIP() << "/dev/shm is not in memory";
  if (fs::space(memory).available < 1048576) GTEST_SKIP() << "/dev/shm is almost full";
  EXPECT_EQ(free_space(memory, 1000, root), 524788);
}

}  // namespace
}  // namespace spex::bench
