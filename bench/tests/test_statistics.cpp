#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "bench/result/steady_state.hpp"

namespace spex::bench {
namespace {

TEST(Statistics, MedianAndMad) {
  EXPECT_EQ(summarize({3, 1, 2}).median, 2);
  EXPECT_EQ(summarize({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(summarize({1, 2, 3, 4, 100}).mad, 1);
  EXPECT_FALSE(summarize({1}).low);
  EXPECT_FALSE(summarize({1}).coverage);
}

// The interval from the smallest to the largest covers 1 - 2 / 2^n: 95% from six samples on.
TEST(Statistics, FewSamplesAreNotCalled95Percent) {
  const Statistic five = summarize({10, 13, 11, 20, 12});
  EXPECT_EQ(five.low, 10);
  EXPECT_EQ(five.high, 20);
  EXPECT_EQ(five.coverage, 0.9375);
  EXPECT_EQ(summarize({1, 2, 3}).coverage, 0.75);
  EXPECT_EQ(summarize({1, 2, 3, 4, 5, 6}).coverage, 0.96875);
}

// Of 9 samples: 1 - 2 (1 + 9) / 512 from the second on, and less than 95% from the third on.
TEST(Statistics, IntervalIsAsNarrowAs95PercentAllows) {
  const Statistic nine = summarize({1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(nine.low, 2);
  EXPECT_EQ(nine.high, 8);
  EXPECT_NEAR(*nine.coverage, 1 - 20.0 / 512, 1e-12);
}

// The probability that all tosses are heads underflows a double.
TEST(Statistics, ManySamples) {
  for (const int n : {1000, 1001, 1080, 1500, 10000}) {
    std::vector<double> samples;
    for (int i = 1; i <= n; ++i) samples.push_back(i);
    const Statistic many = summarize(samples);
    ASSERT_TRUE(many.coverage);
    EXPECT_GE(*many.coverage, 0.95) << n;
    EXPECT_LT(*many.coverage, 0.956) << n;
    // About 1.96 standard deviations of the rank on each side.
    EXPECT_NEAR(*many.high - *many.low, 1.96 * std::sqrt(n), 3) << n;
  }
}

// The intervals of many draws contain the median as often as their coverage states.
TEST(Statistics, CoverageIsTrue) {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> draw(1);
  constexpr int trials = 4000;
  for (const int n : {5, 8, 20}) {
    int held = 0;
    double coverage = 0;
    for (int k = 0; k < trials; ++k) {
      std::vector<double> samples(n);
      for (double& sample : samples) sample = draw(random);
      const Statistic statistic = summarize(samples);
      coverage = *statistic.coverage;
      if (*statistic.low <= std::log(2) && std::log(2) <= *statistic.high) ++held;
    }
    // Four standard deviations of this fraction.
    EXPECT_NEAR(held / double{trials}, coverage, 4 * std::sqrt(0.07 / trials)) << n;
  }
}

// Samples are added until the interval is narrow, which is when it is most likely to miss. The
// stated coverage still holds, but that of the simple interval would not.
TEST(Statistics, CoverageHoldsForSamplesStoppedAtANarrowInterval) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> draw(10, 1);
  constexpr int trials = 4000;
  constexpr StoppingPoints stops{6, 30};
  int held = 0, held_naive = 0;
  double coverage = 0;
  for (int t = 0; t < trials; ++t) {
    std::vector<double> samples;
    Statistic statistic;
    do {
      samples.push_back(draw(random));
      if (static_cast<int>(samples.size()) < stops.first) continue;
      statistic = summarize(samples, stops);
      coverage = *statistic.coverage;
    } while (static_cast<int>(samples.size()) < stops.first ||
             (static_cast<int>(samples.size()) < stops.last &&
              *statistic.high - *statistic.low > 0.09 * statistic.median));
    if (*statistic.low <= 10 && 10 <= *statistic.high) ++held;
    const Statistic naive = summarize(samples);
    if (*naive.low <= 10 && 10 <= *naive.high) ++held_naive;
  }
  EXPECT_GE(coverage, 0.95);
  // The coverage is the probability that no interval misses; the last one misses less often.
  EXPECT_GE(held / double{trials}, coverage - 4 * std::sqrt(0.05 / trials));
  EXPECT_GT(held, held_naive);
}

// With k = 1, stops after the first add no probability of a miss: 1 - 2 / 2^6. By hand, for 7: k =
// 2 would add 2 * 6 / 128.
TEST(Statistics, TheRankRisesWithTheSamples) {
  const StoppingPoints stops{6, 7};
  const Statistic seven = summarize({1, 2, 3, 4, 5, 6, 7}, stops);
  EXPECT_EQ(seven.low, 1);
  EXPECT_EQ(seven.coverage, 1 - 2.0 / 64);
  // Fewer samples than at the first stop, because others were throttled, are summarized alone.
  EXPECT_EQ(summarize({1, 2, 3}, stops).coverage, 0.75);
  std::vector<double> many;
  for (int i = 1; i <= 30; ++i) many.push_back(i);
  const Statistic thirty = summarize(many, {6, 30});
  EXPECT_GT(*thirty.low, 5);
  EXPECT_LE(*thirty.low, *summarize(many).low);
  EXPECT_GE(*thirty.coverage, 0.95);
  // With a later last stop the interval stays the same, and its coverage does not rise.
  EXPECT_LE(*summarize(many, {6, 60}).coverage, *thirty.coverage);
  EXPECT_EQ(summarize(many, {6, 60}).low, thirty.low);
}

// One frame per second; the first and last 30 take 10 s each.
TEST(SteadyState, OmitsAnExposureAtEachEnd) {
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

// A rate that falls by 1% in 36 s falls by 100% in an hour.
TEST(SteadyState, DriftIsRelativeToTheRatePerHour) {
  std::vector<double> written;
  constexpr double rate = 10, fall = 1.0 / 3600;  // relative, per second
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
