#include <gtest/gtest.h>

#include "mpi/run/device_start.hpp"

namespace spex::mpi {
namespace {

TEST(DevicesWorthStarting, IncreaseWithFrames) {
  EXPECT_EQ(devices_worth_starting(0), 1);
  EXPECT_EQ(devices_worth_starting(1), 1);
  EXPECT_EQ(devices_worth_starting(30), 1);
  EXPECT_EQ(devices_worth_starting(31), 2);
  EXPECT_EQ(devices_worth_starting(90), 2);
  EXPECT_EQ(devices_worth_starting(91), 3);
  EXPECT_EQ(devices_worth_starting(180), 3);
  EXPECT_EQ(devices_worth_starting(181), 4);
}

}  // namespace
}  // namespace spex::mpi
