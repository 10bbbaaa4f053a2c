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

TEST(Statistics, IntervalNeedsThreeSamples) {
  EXPECT_FALSE(summarize({1, 2}).low);
  EXPECT_TRUE(summarize({1, 2, 3}).low);
}

TEST(Statistics, IntervalHoldsTheMedianAndStaysAmongTheSamples) {
  const Statistic s = summarize({10, 11, 12, 13, 20});
  EXPECT_EQ(s.median, 12);
  EXPECT_LT(*s.low, s.median);
  EXPECT_GT(*s.high, s.median);
  EXPECT_GE(*s.low, 10);
  EXPECT_LE(*s.high, 20);
}

TEST(Statistics, SameSamplesGiveTheSameInterval) {
  const std::vector<double> samples{3.1, 2.9, 3.3, 3.0, 3.2};
  EXPECT_EQ(summarize(samples).low, summarize(samples).low);
  EXPECT_EQ(summarize(samples).high, summarize(samples).high);
}

}  // namespace
}  // namespace spex::bench
