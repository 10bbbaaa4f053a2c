#include <gtest/gtest.h>

#include "bench/campaign/campaign.hpp"
#include "bench/machine/machine.hpp"
#include "bench/tests/plan_texts.hpp"

namespace spex::bench {
namespace {

constexpr const char* one_entry = R"({"id": "a", "case": "night-gz", "milestone": "baseline"})";

Cost cost_of(const std::string& more) {
  Machine machine;
  machine.cpus = 4;
  machine.nodes_allocated = 1;
  return estimate(read(one_entry, more), machine, true);
}

TEST(Estimate, MoreRunsTakeLongerAndTheSameDisk) {
  const Cost five = cost_of(R"("repeats": 5, )"), ten = cost_of(R"("repeats": 10, )");
  EXPECT_GT(ten.seconds, 1.5 * five.seconds);
  EXPECT_EQ(ten.disk_bytes, five.disk_bytes);
  EXPECT_EQ(five.max_seconds, five.seconds);
}

TEST(Estimate, TheMaximumIsThatOfRunsWhoseTimesScatter) {
  const Cost until = cost_of(R"("repeats": 5, "until": {"width": 0.1, "max_runs": 10}, )");
  EXPECT_EQ(until.seconds, cost_of(R"("repeats": 5, )").seconds);
  EXPECT_EQ(until.max_seconds, cost_of(R"("repeats": 10, )").seconds);
}

}  // namespace
}  // namespace spex::bench
