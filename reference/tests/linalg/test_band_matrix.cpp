#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "reference/linalg/band_matrix.hpp"

namespace spex {
namespace {

TEST(BandMatrix, TwoByTwoByHand) {
  BandMatrix A(2, 1);
  A.at(0, 0) = 4, A.at(0, 1) = 2, A.at(1, 0) = 5;
  ASSERT_TRUE(A.factor());  // L = [2, 0; 1, 2]
  EXPECT_EQ(A.at(0, 0), 2);
  EXPECT_EQ(A.at(0, 1), 1);
  EXPECT_EQ(A.at(1, 0), 2);
  std::vector<double> x{8, 12};
  A.solve(x.data());
  EXPECT_NEAR(x[0], 1, 1e-15);
  EXPECT_NEAR(x[1], 2, 1e-15);
}

TEST(BandMatrix, SolvesWhatItMultiplies) {
  const int n = 40, reach = 5;
  BandMatrix A(n, reach);
  for (int j = 0; j < n; ++j)
    for (int d = 0; d <= reach && j + d < n; ++d) A.at(j, d) = d == 0 ? 6 + 0.1 * j : 0.9 / d;
  std::vector<double> y(n, 0.0);
  for (int j = 0; j < n; ++j)
    for (int d = 0; d <= reach && j + d < n; ++d) {
      y[j + d] += A.at(j, d) * std::sin(j);
      if (d > 0) y[j] += A.at(j, d) * std::sin(j + d);
    }
  ASSERT_TRUE(A.factor());
  A.solve(y.data());
  for (int j = 0; j < n; ++j) EXPECT_NEAR(y[j], std::sin(j), 1e-14);
}

// Column j of the inverse solves A x = e_j.
TEST(BandMatrix, BandOfTheInverse) {
  for (const int reach : {0, 1, 4}) {
    const int n = 9;
    BandMatrix A(n, reach);
    for (int j = 0; j < n; ++j)
      for (int d = 0; d <= reach && j + d < n; ++d) A.at(j, d) = d == 0 ? 3 + 0.1 * j : 0.7 / d;
    ASSERT_TRUE(A.factor());
    const BandMatrix C = A.band_of_inverse();
    for (int j = 0; j < n; ++j) {
      std::vector<double> x(n, 0.0);
      x[j] = 1;
      A.solve(x.data());
      for (int d = 0; d <= reach && j + d < n; ++d) EXPECT_NEAR(C.at(j, d), x[j + d], 1e-15);
    }
  }
}

TEST(BandMatrix, RefusesWhatIsNotPositiveDefinite) {
  BandMatrix A(2, 1);
  A.at(0, 0) = 1, A.at(0, 1) = 2, A.at(1, 0) = 1;
  EXPECT_FALSE(A.factor());
  BandMatrix B(1, 0);
  B.at(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(B.factor());
}

}  // namespace
}  // namespace spex
