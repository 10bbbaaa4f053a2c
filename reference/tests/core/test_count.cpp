#include <gtest/gtest.h>

#include "reference/core/count.hpp"

namespace spex {
namespace {

TEST(CountOf, IsTheProductOfItsExtents) {
  EXPECT_EQ(count_of(), 1U);
  EXPECT_EQ(count_of(3), 3U);
  EXPECT_EQ(count_of(0, 1000), 0U);
  EXPECT_EQ(count_of(std::size_t{2}, 5), 10U);
}

// Products beyond int, from the first factors or from the last.
TEST(CountOf, CountsBeyondInt) {
  EXPECT_EQ(count_of(3, 50000, 50000), 7500000000U);
  EXPECT_EQ(count_of(50000, 50000, 3), 7500000000U);
}

}  // namespace
}  // namespace spex
