// CPU affinity and assignment of devices, with a fake sysfs tree.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/run/affinity.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::mpi {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Cpus range(int first, int last) {
  Cpus cpus;
  for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  return cpus;
}

TEST(Affinity, ListsOfCpus) {
  EXPECT_THAT(parse_cpus("0-2,8\n"), ElementsAre(0, 1, 2, 8));
  EXPECT_THAT(parse_cpus("64-65,0-1"), ElementsAre(0, 1, 64, 65));
  EXPECT_THAT(parse_cpus("5"), ElementsAre(5));
  for (const char* wrong : {"", "\n", "a", "1-", "-1", "3-1", "0,x", "0-99999", "1 2"})
    EXPECT_THAT(parse_cpus(wrong), IsEmpty()) << wrong;
  EXPECT_EQ(to_text({0, 1, 2, 8, 10, 11}), "0-2,8,10-11");
  EXPECT_EQ(to_text({}), "");
}

TEST(Affinity, CpusBesideADevice) {
  const test::ScratchFolder sysfs;
  const std::filesystem::path devices = std::filesystem::path(sysfs.file("bus")) / "pci/devices";
  std::filesystem::create_directories(devices / "0000:c1:00.0");
  std::ofstream(devices / "0000:c1:00.0/local_cpulist") << "48-63,112-127\n";
  const std::string root = std::filesystem::path(sysfs.file("bus")).parent_path();
  Cpus expected = range(48, 63);
  for (const int cpu : range(112, 127)) expected.push_back(cpu);
  EXPECT_EQ(cpus_beside("0000:C1:00.0", root), expected);  // as CUDA writes it
  EXPECT_THAT(cpus_beside("0000:02:00.0", root), IsEmpty());
}

// The launcher's binding is never exceeded.
TEST(Affinity, NearestOfTheAllowedCpus) {
  EXPECT_EQ(nearest_cpus(range(0, 63), {range(48, 63)}), range(48, 63));
  EXPECT_EQ(nearest_cpus(range(50, 53), {range(48, 63)}), range(50, 53));
  EXPECT_EQ(nearest_cpus(range(40, 51), {range(48, 63)}), range(48, 51));
  EXPECT_EQ(nearest_cpus(range(0, 15), {range(48, 63)}), range(0, 15));  // elsewhere, but asked for
  EXPECT_EQ(nearest_cpus(range(0, 63), {range(0, 3), range(4, 7)}), range(0, 7));
  EXPECT_EQ(nearest_cpus(range(0, 63), {range(0, 3), {}}), range(0, 63));
}

using Dealt = std::vector<std::vector<int>>;

// A Perlmutter node: GPU 0 is local to the last quarter of the cores.
const std::vector<Cpus> reversed{range(48, 63), range(32, 47), range(16, 31), range(0, 15)};

TEST(Affinity, UnboundRanksTakeDevicesInTurn) {
  const auto unbound = [](std::size_t count) { return std::vector<Cpus>(count, range(0, 63)); };
  EXPECT_EQ(deal_devices(unbound(4), reversed), (Dealt{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(deal_devices(unbound(6), reversed), (Dealt{{0}, {1}, {2}, {3}, {0}, {1}}));
  EXPECT_EQ(deal_devices(unbound(1), reversed), (Dealt{{0, 1, 2, 3}}));
  EXPECT_EQ(deal_devices(unbound(3), reversed), (Dealt{{0, 3}, {1}, {2}}));
  // NUMA domains of different sizes, and unknown domains.
  EXPECT_EQ(deal_devices(unbound(2), {range(0, 3), range(4, 63)}), (Dealt{{0}, {1}}));
  EXPECT_EQ(deal_devices(unbound(2), {{}, {}}), (Dealt{{0}, {1}}));
}

TEST(Affinity, BoundRanksTakeTheirLocalDevice) {
  const std::vector<Cpus> quarters{range(0, 15), range(16, 31), range(32, 47), range(48, 63)};
  EXPECT_EQ(deal_devices(quarters, reversed), (Dealt{{3}, {2}, {1}, {0}}));
  EXPECT_EQ(deal_devices({range(0, 31), range(32, 63)}, reversed), (Dealt{{2, 3}, {0, 1}}));
  // Two ranks on the same cores do not share a GPU while another is idle; idle GPUs are also
  // assigned.
  EXPECT_EQ(deal_devices({range(0, 7), range(8, 15)}, reversed), (Dealt{{3, 1}, {0, 2}}));
}

TEST(Affinity, RanksShareTheCpusThatTheyMayUse) {
  const auto share_of_last = [](const std::vector<Cpus>& ranks) {
    return share_of_cpus(ranks, ranks.size() - 1);
  };
  EXPECT_EQ(share_of_last({range(0, 63)}), 64);
  // A quarter of a node, whichever CPUs it has: five ranks of 16 CPUs.
  EXPECT_EQ(share_of_last(std::vector<Cpus>(5, range(48, 63))), 3);
  EXPECT_EQ(share_of_last({range(0, 15), range(16, 31)}), 16);
  // Two ranks on each socket.
  EXPECT_EQ(share_of_last({range(0, 31), range(0, 31), range(32, 63), range(32, 63)}), 16);
  // CPUs 8 to 15 are shared: 8 + 8 / 2.
  EXPECT_EQ(share_of_last({range(0, 15), range(8, 23)}), 12);
  EXPECT_EQ(share_of_last(std::vector<Cpus>(8, range(0, 3))), 1);
  EXPECT_EQ(share_of_last({range(0, 3), {}}), 1);
  // Thirds add up to whole CPUs.
  EXPECT_EQ(share_of_last(std::vector<Cpus>(3, range(0, 2))), 1);
  EXPECT_EQ(share_of_last(std::vector<Cpus>(3, range(0, 8))), 3);
}

TEST(Affinity, BindsThisThread) {
  const Cpus before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  ASSERT_TRUE(bind_to({before.back()}));
  EXPECT_THAT(allowed_cpus(), ElementsAre(before.back()));
  ASSERT_TRUE(bind_to(before));
  EXPECT_EQ(allowed_cpus(), before);
}

}  // namespace
}  // namespace spex::mpi
