#include <cmath>

#include <gtest/gtest.h>

#include "bench/measure/steady_state.hpp"

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
  const auto steady = steady_state(written);
  ASSERT_TRUE(steady);
  EXPECT_EQ(steady->first, 30);
  EXPECT_EQ(steady->last, 270);
  EXPECT_EQ(steady->all.frames, 240);
  EXPECT_DOUBLE_EQ(steady->all.begin_s, 290);
  EXPECT_DOUBLE_EQ(steady->all.seconds, 240);
  EXPECT_DOUBLE_EQ(steady->all.rate(), 1);
  ASSERT_EQ(steady->blocks.size(), 20U);
  int frames = 0;
  for (const FrameBlock& block : steady->blocks) {
    EXPECT_DOUBLE_EQ(block.rate(), 1);
    frames += block.frames;
  }
  EXPECT_EQ(frames, 240);
  EXPECT_EQ(steady->drift_per_hour->median, 0);
}

TEST(SteadyState, TheOrderOfTheTimesDoesNotMatter) {
  const std::vector<double> up{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, down(up.rbegin(), up.rend());
  EXPECT_EQ(steady_state(up)->all.seconds, steady_state(down)->all.seconds);
  EXPECT_EQ(steady_state(up)->first, 1);
}

// A rate that falls by a hundredth in 36 s: as much as it is, in an hour.
TEST(SteadyState, DriftIsThePartOfTheRateInAnHour) {
  std::vector<double> written;
  constexpr double rate = 10, fall = 1.0 / 3600;  // of it, a second
  for (int i = 0; i < 6000; ++i)                  // i = rate (t - fall t^2 / 2)
    written.push_back((1 - std::sqrt(1 - 2 * fall * i / rate)) / fall);
  const auto drift = steady_state(written)->drift_per_hour;
  ASSERT_TRUE(drift);
  EXPECT_NEAR(drift->median, -1 / (1 - 0.5 * written.back() / 3600), 0.02);
  EXPECT_LT(*drift->high, 0);
  EXPECT_GT(*drift->coverage, 0.95);
  EXPECT_EQ(drift->samples.size(), 10U);
}

TEST(SteadyState, TooFewFramesHaveNone) {
  EXPECT_FALSE(steady_state({}));
  EXPECT_FALSE(steady_state({1, 2, 3}));
  EXPECT_FALSE(steady_state({1, 1, 1, 1, 1, 1, 1}));
  EXPECT_TRUE(steady_state({1, 2, 3, 4}));
}

// 300 frames, of which the first 120 are of inputs that all differ; the run begins at 0.
std::vector<double> passes(double first_s, double later_s) {
  std::vector<double> written;
  double time = 0;
  for (int i = 0; i < 300; ++i) written.push_back(time += i < 120 ? first_s : later_s);
  return written;
}

TEST(FirstPass, KeptAnswersShow) {
  const auto pass = first_pass(passes(0.03, 0.01), 0, 120);
  ASSERT_TRUE(pass);
  EXPECT_EQ(pass->first.frames, 120);
  EXPECT_EQ(pass->later.frames, 150);
  EXPECT_NEAR(pass->gain(), 3, 1e-9);
}

// All are extracted before the first is given: what is won later is lost in the first pass.
TEST(FirstPass, ReadingAheadDoesNotHideThem) {
  const std::vector<double> written = passes(0.001, 0.001);
  EXPECT_NEAR(first_pass(written, 0, 120)->gain(), 1, 1e-9);
  EXPECT_GT(first_pass(written, -10, 120)->gain(), 80);
}

TEST(FirstPass, TooFewFramesSayNothing) {
  EXPECT_FALSE(first_pass(passes(0.01, 0.01), 0, 29));
  EXPECT_FALSE(first_pass(passes(0.01, 0.01), 0, 241));
  EXPECT_FALSE(first_pass(passes(0.01, 0.01), 0, 300));
}

TEST(SteadyState, FramesThatWereHeldBackShow) {
  const std::vector<double> written = passes(0.01, 0.01);
  const auto steady = steady_state(written);
  EXPECT_NEAR(gain_of_steady_part(*steady, written, 0), 1, 1e-9);
  // A start of a second is a third of such a run; ten seconds are more than it takes.
  EXPECT_NEAR(gain_of_steady_part(*steady, written, -1), 4.0 / 3, 1e-9);
  EXPECT_NEAR(gain_of_steady_part(*steady, written, -10), 13.0 / 3, 1e-9);
}

}  // namespace
}  // namespace spex::bench
