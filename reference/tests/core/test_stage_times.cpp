#include <chrono>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "reference/core/clock.hpp"
#include "reference/core/stage_times.hpp"

namespace spex {
namespace {

TEST(StageTimes, AddByStage) {
  StageTimes a;
  EXPECT_EQ(a.get(Stage::solve), 0);
  a.add(Stage::solve, 1.5);
  a.add(Stage::solve, 0.5);
  StageTimes b;
  b.add(Stage::solve, 1);
  b.add(Stage::write, 4);
  a.add(b);
  EXPECT_EQ(a.get(Stage::solve), 3);
  EXPECT_EQ(a.get(Stage::write), 4);
  EXPECT_EQ(a.get(Stage::read), 0);
}

TEST(StageTimes, StageNamesAreUnique) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < stage_count; ++i) names.insert(to_string(static_cast<Stage>(i)));
  EXPECT_EQ(names.size(), stage_count);
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_STREQ(to_string(Stage::write), "write");
}

TEST(StageTimer, AddsItsLifetimeToItsStage) {
  StageTimes times;
  const double before = steady_seconds();
  {
    const StageTimer timer(times, Stage::spots);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_GE(times.get(Stage::spots), 0.02);
  EXPECT_LE(times.get(Stage::spots), steady_seconds() - before);
  EXPECT_EQ(times.get(Stage::solve), 0);
}

}  // namespace
}  // namespace spex
