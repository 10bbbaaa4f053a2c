#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference/linalg/symmetric.hpp"

namespace spex {
namespace {

// [[2, 1], [1, 2]]: eigenvalues 1 and 3, inverse [[2, -1], [-1, 2]] / 3.
const std::vector<double> two_by_two{2, 1, 1, 2};

using Decompose = bool (*)(const std::vector<double>&, int, Eigen&);

class Decomposition : public testing::TestWithParam<Decompose> {
 protected:
  const Decompose decompose = GetParam();
};

TEST_P(Decomposition, ByHand) {
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

TEST_P(Decomposition, ReadsTheLowerTriangleOnly) {
  Eigen eigen;
  ASSERT_TRUE(decompose({2, 1, 99, 2}, 2, eigen));
  EXPECT_NEAR(eigen.u[1], 3, 1e-15);
}

// Two pairs of equal eigenvalues, 1 and 3, whose eigenvectors are not unique.
TEST_P(Decomposition, EqualEigenvalues) {
  const std::vector<double> A{2, 1, 0, 0, 1, 2, 0, 0, 0, 0, 2, 1, 0, 0, 1, 2};
  Eigen eigen;
  ASSERT_TRUE(decompose(A, 4, eigen));
  std::vector<double> again;
  eigen_block(eigen, eigen.u, 0, 4, again);
  for (std::size_t k = 0; k < A.size(); ++k) EXPECT_NEAR(again[k], A[k], 1e-14) << k;
}

TEST_P(Decomposition, NotFiniteIsAFailureAndNoException) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Eigen eigen;
  EXPECT_FALSE(decompose({1, 0, 0, nan}, 2, eigen));
  EXPECT_FALSE(decompose({inf, 0, 0, 1}, 2, eigen));
}

INSTANTIATE_TEST_SUITE_P(Routines, Decomposition,
                         testing::Values(&decompose, &decompose_by_dsyevr));

TEST(Symmetric, ClipsAgainstTheLargest) {
  Eigen eigen;
  eigen.u = {-3, 1e-20, 2};
  clip_eigenvalues(eigen);
  EXPECT_EQ(eigen.u, (std::vector<double>{2e-14, 2e-14, 2}));
}

// Of two by two matrices A^(1/2) = (A + sqrt(det) 1) / sqrt(tr + 2 sqrt(det)), here of the inverse.
// The eigenvalues are 1e16 apart: those of decompose would have no digit of the smaller.
TEST(Symmetric, InverseRootKeepsSmallEigenvalues) {
  const std::vector<double> A{1e16, 0.5e8, 0.5e8, 1};
  const double det = 1 / 0.75e16;
  const std::vector<double> inverse{det, -0.5e8 * det, -0.5e8 * det, 1e16 * det};
  const double norm = std::sqrt(inverse[0] + inverse[3] + 2 * std::sqrt(det));
  std::vector<double> root;
  ASSERT_TRUE(inverse_root(A, 2, root));
  for (std::size_t k = 0; k < 4; ++k) {
    const double expected = (inverse[k] + (k % 3 == 0 ? std::sqrt(det) : 0)) / norm;
    EXPECT_NEAR(root[k], expected, 1e-14 * std::abs(expected)) << k;
  }
}

TEST(Symmetric, InverseRootReadsTheLowerTriangleOnly) {
  std::vector<double> root, again;
  ASSERT_TRUE(inverse_root(two_by_two, 2, root));
  ASSERT_TRUE(inverse_root({2, 1, 99, 2}, 2, again));
  EXPECT_EQ(root, again);
  EXPECT_NEAR(root[0] * root[0] + root[1] * root[1], 2.0 / 3, 1e-15);
  EXPECT_EQ(root[1], root[2]);
}

TEST(Symmetric, InverseRootOfWhatIsNotPositiveIsAFailure) {
  std::vector<double> root;
  EXPECT_FALSE(inverse_root({1, 2, 2, 1}, 2, root));
  EXPECT_FALSE(inverse_root({0, 0, 0, 1}, 2, root));
  EXPECT_FALSE(inverse_root({1, 0, 0, std::numeric_limits<double>::quiet_NaN()}, 2, root));
}

}  // namespace
}  // namespace spex
