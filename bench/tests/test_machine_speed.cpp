#include <gtest/gtest.h>

#include "bench/campaign/machine_speed.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Looks each second: of two threads on CPUs of one clock, then of one at twice the clock.
TEST(MachineSpeed, OfCpusIsTheirTimeAndClock) {
  Json series{{"start_unix", 1000},
              {"seconds", {0, 1, 2, 3, 4}},
              {"run_cpu_s", {0, 2, 4, 5, 6}},
              {"cpu_mhz", {1000, 1000, 1000, 2000, 2000}},
              {"gpus", Json::array()}};
  const MachineSpeed machine(series, 2);
  EXPECT_DOUBLE_EQ(machine.ratio({1002, 1004}, {1000, 1002}).value(), 1);
  EXPECT_DOUBLE_EQ(machine.ratio({1000.5, 1001.5}, {1000, 1004}).value(), 1);
  // What is taken beyond the threads that were asked for does not count.
  EXPECT_DOUBLE_EQ(MachineSpeed(series, 1).ratio({1002, 1004}, {1000, 1002}).value(), 2);
  series["cpu_mhz"] = {nullptr, nullptr, nullptr, nullptr, nullptr};
  EXPECT_DOUBLE_EQ(MachineSpeed(series, 2).ratio({1002, 1004}, {1000, 1002}).value(), 0.5);
  // Ranks that Slurm's daemon starts are not seen.
  series["run_cpu_s"] = {0, 0, 0, 0, 0};
  EXPECT_FALSE(MachineSpeed(series, 2).ratio({1002, 1004}, {1000, 1002}));
}

TEST(MachineSpeed, OfGpusIsTheClockOfThoseWithWork) {
  const Json series{{"start_unix", 1000},
                    {"seconds", {0, 1, 2, 3}},
                    {"run_cpu_s", {0, 1, 2, 3}},
                    {"cpu_mhz", {1000, 1000, 1000, 1000}},
                    {"gpus",
                     {{{"clock_sm_mhz", {300, 1000, 2000, 2000}}, {"busy", {0, 1, 0.5, 0.5}}},
                      {{"clock_sm_mhz", {300, 1000, 2000, nullptr}}, {"busy", {0, 1, 1, 1}}}}}};
  const MachineSpeed machine(series, 2);
  EXPECT_DOUBLE_EQ(machine.ratio({1001.5, 1003}, {1000, 1001.5}).value(), 2);
  EXPECT_FALSE(machine.ratio({1001.5, 1003}, {1000, 1000.5}));  // none had work
}

}  // namespace
}  // namespace spex::bench
