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

}  // namespace
}  // namespace spex
