#include <cmath>

#include <gtest/gtest.h>

#include "bench/result/steady_state.hpp"

namespace spex::bench {
namespace {

// A frame each second, but for the first and last 30, which take 10 s each.
TEST(SteadyState, LeavesOutAnExposureAtEitherEnd) {
  std::vector<double> written;
  double time = 1000;
  for (int i = 1; i <= 300; ++i) {
    written.push_back(time);
    time += i < 30 || i >= 270 ? 10 : 1;
  }
  const auto steady = steady_part(written);
  ASSERT_TRUE(steady);
  EXPECT_EQ(steady->first, 30);
  EXPECT_EQ(steady->last, 270);
  EXPECT_DOUBLE_EQ(steady->blocks.front().begin_s, 290);
  EXPECT_DOUBLE_EQ(steady->seconds, 240);
  EXPECT_DOUBLE_EQ(steady->rate(), 1);
  ASSERT_EQ(steady->blocks.size(), 20U);
  int frames = 0;
  for (const FrameBlock& block : steady->blocks) {
    EXPECT_DOUBLE_EQ(block.rate(), 1);
    frames += block.frames;
  }
  EXPECT_EQ(frames, 240);
  EXPECT_EQ(drift_per_hour(*steady)->median, 0);
}

TEST(SteadyState, TheOrderOfTheTimesDoesNotMatter) {
  const std::vector<double> up{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, down(up.rbegin(), up.rend());
  EXPECT_EQ(steady_part(up)->seconds, steady_part(down)->seconds);
  EXPECT_EQ(steady_part(up)->first, 1);
}

// A rate that falls by a hundredth in 36 s: as much as it is, in an hour.
TEST(SteadyState, DriftIsThePartOfTheRateInAnHour) {
  std::vector<double> written;
  constexpr double rate = 10, fall = 1.0 / 3600;  // of it, a second
  for (int i = 0; i < 6000; ++i)                  // i = rate (t - fall t^2 / 2)
    written.push_back((1 - std::sqrt(1 - 2 * fall * i / rate)) / fall);
  const auto drift = drift_per_hour(*steady_part(written));
  ASSERT_TRUE(drift);
  EXPECT_NEAR(drift->median, -1 / (1 - 0.5 * written.back() / 3600), 0.02);
  EXPECT_LT(*drift->high, 0);
  EXPECT_GT(*drift->coverage, 0.95);
  EXPECT_EQ(drift->samples.size(), 10U);
}

TEST(SteadyState, TooFewFramesHaveNone) {
  EXPECT_FALSE(steady_part({}));
  EXPECT_FALSE(steady_part({1, 2, 3}));
  EXPECT_FALSE(steady_part({1, 1, 1, 1, 1, 1, 1}));
  EXPECT_TRUE(steady_part({1, 2, 3, 4}));
}

}  // namespace
}  // namespace spex::bench
