#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "bench/measure/statistics.hpp"

namespace spex::bench {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median_of({7}), 7);
}

TEST(Statistics, MadIsTheMedianDistanceFromTheMedian) {
  EXPECT_EQ(summarize({1, 2, 3, 4, 100}).mad, 1);
  EXPECT_EQ(summarize({5, 5, 5}).mad, 0);
}

TEST(Statistics, OneSampleHasNoInterval) {
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

}  // namespace
}  // namespace spex::bench
