#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "bench/result/statistics.hpp"

namespace spex::bench {
namespace {

TEST(Statistics, MedianAndMad) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(summarize({1, 2, 3, 4, 100}).mad, 1);
  EXPECT_FALSE(summarize({1}).low);
  EXPECT_FALSE(summarize({1}).coverage);
}

// 1 - 2 / 2^n from the smallest to the largest: 95% from six samples on.
TEST(Statistics, FewSamplesAreNotCalled95Percent) {
  const Statistic five = summarize({10, 13, 11, 20, 12});
  EXPECT_EQ(five.low, 10);
  EXPECT_EQ(five.high, 20);
  EXPECT_EQ(five.coverage, 0.9375);
  EXPECT_EQ(summarize({1, 2, 3}).coverage, 0.75);
  EXPECT_EQ(summarize({1, 2, 3, 4, 5, 6}).coverage, 0.96875);
}

// Of 9: 1 - 2 (1 + 9) / 512 from the second on, and less than 95% from the third on.
TEST(Statistics, IntervalIsAsNarrowAs95PercentAllows) {
  const Statistic nine = summarize({1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(nine.low, 2);
  EXPECT_EQ(nine.high, 8);
  EXPECT_NEAR(*nine.coverage, 1 - 20.0 / 512, 1e-12);
}

// The chance that all of so many tosses are heads is less than a double holds.
TEST(Statistics, OfManySamplesToo) {
  for (const int n : {1000, 1001, 1080, 1500, 10000}) {
    std::vector<double> samples;
    for (int i = 1; i <= n; ++i) samples.push_back(i);
    const Statistic many = summarize(samples);
    ASSERT_TRUE(many.coverage);
    EXPECT_GE(*many.coverage, 0.95) << n;
    EXPECT_LT(*many.coverage, 0.956) << n;
    // Some 1.96 standard deviations of the rank on each side.
    EXPECT_NEAR(*many.high - *many.low, 1.96 * std::sqrt(n), 3) << n;
  }
}

// The intervals of many draws hold the median as often as they say.
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
    // Four standard deviations of such a share.
    EXPECT_NEAR(held / double{trials}, coverage, 4 * std::sqrt(0.07 / trials)) << n;
  }
}

// Samples are added until the interval is narrow, which is when it is most likely to be one that
// misses. The stated coverage holds none the less; that of a single look, of n samples, would not.
TEST(Statistics, CoverageHoldsForSamplesThatEndedWhenTheyLookedGood) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> draw(10, 1);
  constexpr int trials = 4000;
  constexpr Looks looks{6, 30};
  int held = 0, held_naive = 0;
  double coverage = 0;
  for (int t = 0; t < trials; ++t) {
    std::vector<double> samples;
    Statistic statistic;
    do {
      samples.push_back(draw(random));
      if (static_cast<int>(samples.size()) < looks.first) continue;
      statistic = summarize(samples, looks);
      coverage = *statistic.coverage;
    } while (static_cast<int>(samples.size()) < looks.first ||
             (static_cast<int>(samples.size()) < looks.most &&
              *statistic.high - *statistic.low > 0.09 * statistic.median));
    if (*statistic.low <= 10 && 10 <= *statistic.high) ++held;
    const Statistic naive = summarize(samples);
    if (*naive.low <= 10 && 10 <= *naive.high) ++held_naive;
  }
  EXPECT_GE(coverage, 0.95);
  // It is the chance that no look misses; the last one alone misses less often.
  EXPECT_GE(held / double{trials}, coverage - 4 * std::sqrt(0.05 / trials));
  EXPECT_GT(held, held_naive);
}

// With k = 1 the looks after the first add no chance to miss: 1 - 2 / 2^6. By hand, of 7: k = 2
// would add 2 * 6 / 128 to that.
TEST(Statistics, TheRankRisesFromLookToLook) {
  const Looks looks{6, 7};
  const Statistic seven = summarize({1, 2, 3, 4, 5, 6, 7}, looks);
  EXPECT_EQ(seven.low, 1);
  EXPECT_EQ(seven.coverage, 1 - 2.0 / 64);
  // Fewer than at the first look, as others were throttled, are what they are.
  EXPECT_EQ(summarize({1, 2, 3}, looks).coverage, 0.75);
  std::vector<double> many;
  for (int i = 1; i <= 30; ++i) many.push_back(i);
  const Statistic thirty = summarize(many, {6, 30});
  EXPECT_GT(*thirty.low, 5);
  EXPECT_LE(*thirty.low, *summarize(many).low);
  EXPECT_GE(*thirty.coverage, 0.95);
  // Whoever may go on to more samples than were taken has the same interval, and no more coverage.
  EXPECT_LE(*summarize(many, {6, 60}).coverage, *thirty.coverage);
  EXPECT_EQ(summarize(many, {6, 60}).low, thirty.low);
}

}  // namespace
}  // namespace spex::bench
