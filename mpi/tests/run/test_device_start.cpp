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

TEST(FirstVisibleDevices, AreNumberedIfTheVariableIsUnset) {
  EXPECT_EQ(first_visible_devices(nullptr, 1), "0");
  EXPECT_EQ(first_visible_devices(nullptr, 3), "0,1,2");
}

TEST(FirstVisibleDevices, AreTheFirstOfTheVariable) {
  EXPECT_EQ(first_visible_devices("3,1,0", 1), "3");
  EXPECT_EQ(first_visible_devices("3,1,0", 2), "3,1");
  EXPECT_EQ(first_visible_devices("GPU-1a,GPU-2b", 2), "GPU-1a,GPU-2b");
}

TEST(FirstVisibleDevices, AreAllIfThereAreFewer) {
  EXPECT_EQ(first_visible_devices("2", 4), "2");
  EXPECT_EQ(first_visible_devices("2,3", 4), "2,3");
  EXPECT_EQ(first_visible_devices("", 2), "");
}

}  // namespace
}  // namespace spex::mpi
