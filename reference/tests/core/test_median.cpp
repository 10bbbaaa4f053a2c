#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "reference/core/median.hpp"

namespace spex {
namespace {

TEST(Median, AgreesWithNumPy) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({1, 4}), 2.5);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7, 7, 7, 1}), 7);
  EXPECT_EQ(median({-1, -2, -3}), -2);
}

TEST(Median, DoesNotChangeItsArgument) {
  const std::vector<double> values{3, 1, 2};
  EXPECT_EQ(median(values), 2);
  EXPECT_EQ(values, (std::vector<double>{3, 1, 2}));
}

// Of many values, those that a sample tells are not in the middle are left out.
TEST(Median, OfManyValues) {
  constexpr int nvalue = 2881;
  std::mt19937 random(7);
  std::normal_distribution<double> noise(100, 30);
  std::vector<std::vector<double>> cases(6);
  for (int i = 0; i < nvalue; ++i) {
    cases[0].push_back(noise(random));
    cases[1].push_back(i);
    cases[2].push_back(i % 3 == 0 ? noise(random) : 5);
    cases[3].push_back(0);
    cases[4].push_back(i < nvalue / 2 ? -noise(random) : 1e6 + noise(random));
    cases[5].push_back(std::exp(noise(random) / 10));
  }
  for (std::vector<double>& values : cases)
    for (int k = 0; k < 2; ++k) {  // an odd and an even number
      std::vector<double> sorted = values;
      std::ranges::sort(sorted);
      const std::size_t half = sorted.size() / 2;
      const double middle = sorted[half];
      EXPECT_EQ(median(values), k == 0 ? middle : (sorted[half - 1] + middle) / 2);
      values.pop_back();
    }
}

// The sample holds every 22nd value, here all zeros.
TEST(Median, OfValuesThatASampleMisses) {
  constexpr std::size_t nsample = 128, step = 22;
  std::vector<double> values;
  for (std::size_t i = 0; i < nsample * step; ++i)
    values.push_back(i % step == 0 ? 0 : static_cast<double>(i));
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  EXPECT_EQ(median(values), (sorted[half - 1] + sorted[half]) / 2);
}

}  // namespace
}  // namespace spex
