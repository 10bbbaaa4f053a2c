#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference/linalg/symmetric.hpp"

namespace spex {
namespace {

// [[2, 1], [1, 2]]: eigenvalues 1 and 3, inverse [[2, -1], [-1, 2]] / 3.
const std::vector<double> two_by_two{2, 1, 1, 2};

TEST(Symmetric, DecomposesByHand) {
  Eigen eigen;
  ASSERT_TRUE(decompose(two_by_two, 2, eigen));
  EXPECT_NEAR(eigen.u[0], 1, 1e-15);
  EXPECT_NEAR(eigen.u[1], 3, 1e-15);
  std::vector<double> inverse;
  eigen_block(eigen, {1, 1.0 / 3}, 0, 2, inverse);
  EXPECT_NEAR(inverse[0], 2.0 / 3, 1e-15);
  EXPECT_NEAR(inverse[1], -1.0 / 3, 1e-15);
  EXPECT_EQ(inverse[1], inverse[2]);
  std::vector<double> corner;
  eigen_block(eigen, {1, 1.0 / 3}, 1, 1, corner);
  EXPECT_NEAR(corner[0], 2.0 / 3, 1e-15);
  std::vector<double> x;
  eigen_apply(eigen, {1, 1.0 / 3}, {3, 0}, x);
  EXPECT_NEAR(x[0], 2, 1e-15);
  EXPECT_NEAR(x[1], -1, 1e-15);
}

TEST(Symmetric, ReadsTheLowerTriangleOnly) {
  Eigen eigen;
  ASSERT_TRUE(decompose({2, 1, 99, 2}, 2, eigen));
  EXPECT_NEAR(eigen.u[1], 3, 1e-15);
}

TEST(Symmetric, ClipsAgainstTheLargest) {
  Eigen eigen;
  eigen.u = {-3, 1e-20, 2};
  clip_eigenvalues(eigen);
  EXPECT_EQ(eigen.u, (std::vector<double>{2e-14, 2e-14, 2}));
}

TEST(Symmetric, NotFiniteIsAFailureAndNoException) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Eigen eigen;
  EXPECT_FALSE(decompose({1, 0, 0, nan}, 2, eigen));
  EXPECT_FALSE(decompose({inf, 0, 0, 1}, 2, eigen));
}

}  // namespace
}  // namespace spex
