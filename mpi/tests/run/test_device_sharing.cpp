#include <string>

#include <gtest/gtest.h>

#include "mpi/comm/environment.hpp"
#include "mpi/run/device_sharing.hpp"

namespace spex::mpi {
namespace {

TEST(DeviceSharing, CountsTheRanksOfADevice) {
  const Communicator world = Communicator::world();
  const int rank = world.rank(), ranks = world.size();
  EXPECT_EQ(ranks_sharing({"0000:17:00.0"}, world), ranks);
  EXPECT_EQ(ranks_sharing({std::to_string(rank)}, world), 1);
  EXPECT_EQ(ranks_sharing({}, world), 1);
  // Device 0 is that of ranks 0, 2, 4, device 1 that of ranks 1, 3.
  EXPECT_EQ(ranks_sharing({std::to_string(rank % 2)}, world), (ranks + 1 - rank % 2) / 2);
  // A rank with several devices; the first is that of all ranks.
  EXPECT_EQ(ranks_sharing({"a", "b" + std::to_string(rank)}, world), ranks);
}

TEST(DeviceSharing, RanksMayHaveDifferentNumbersOfDevices) {
  const Communicator world = Communicator::world();
  const bool root = world.is_root();
  EXPECT_EQ(
      ranks_sharing(root ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{}, world),
      1);
}

}  // namespace
}  // namespace spex::mpi
