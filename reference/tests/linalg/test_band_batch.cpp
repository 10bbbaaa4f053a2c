#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "reference/linalg/band_batch.hpp"

namespace spex {
namespace {

// Diagonally dominant, different in each lane, not Toeplitz.
double element(int lane, int i, int j) {
  const int d = std::abs(i - j);
  return d == 0 ? 4.0 + 0.1 * i + lane : (0.9 - 0.05 * (std::min(i, j) % 7) - 0.02 * lane) / d;
}

BandBatch make(int n, int reach, int first_lane, int lanes) {
  BandBatch A(n, reach, lanes);
  for (int j = 0; j < n; ++j)
    for (int d = 0; d <= A.reach() && j + d < n; ++d)
      for (int k = 0; k < lanes; ++k) A.at(j, d)[k] = element(first_lane + k, j + d, j);
  return A;
}

double at(const BandBatch& A, int lane, int i, int j) {
  return std::abs(i - j) <= A.reach() ? A.at(std::min(i, j), std::abs(i - j))[lane] : 0.0;
}

TEST(BandBatch, TwoByTwoByHand) {
  BandBatch A(2, 1, 1);
  *A.at(0, 0) = 2, *A.at(0, 1) = 1, *A.at(1, 0) = 2;
  ASSERT_TRUE(A.factor());  // d = 2, 3/2; l = 1/2
  EXPECT_EQ(*A.at(0, 0), 0.5);
  EXPECT_EQ(*A.at(0, 1), 0.5);
  EXPECT_NEAR(*A.at(1, 0), 2.0 / 3, 1e-16);
  std::vector<double> x{3, 0};
  A.solve(x.data());
  EXPECT_NEAR(x[0], 2, 1e-15);
  EXPECT_NEAR(x[1], -1, 1e-15);
  const BandBatch Z = A.inverse_band();
  EXPECT_NEAR(*Z.at(0, 0), 2.0 / 3, 1e-15);
  EXPECT_NEAR(*Z.at(0, 1), -1.0 / 3, 1e-15);
  EXPECT_NEAR(*Z.at(1, 0), 2.0 / 3, 1e-15);
}

class Shapes : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Shapes, SolvesAndInverts) {
  const auto [n, reach] = GetParam();
  constexpr int lanes = 3;
  const BandBatch A = make(n, reach, 0, lanes);
  BandBatch L = A;
  ASSERT_TRUE(L.factor());
  // A x for a known x; then unit vectors for the inverse.
  std::vector<double> y(n * lanes, 0.0);
  for (int k = 0; k < lanes; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) y[i * lanes + k] += at(A, k, i, j) * (j - 2);
  L.solve(y.data());
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < lanes; ++k) EXPECT_NEAR(y[j * lanes + k], j - 2, 1e-12);

  const BandBatch Z = L.inverse_band();
  for (int column = 0; column < n; ++column)
    for (int k = 0; k < lanes; ++k) {
      std::vector<double> unit(n, 0.0);
      unit[column] = 1;
      L.solve_lane(k, unit.data());
      for (int i = 0; i < n; ++i)
        if (std::abs(i - column) <= Z.reach()) {
          EXPECT_NEAR(at(Z, k, i, column), unit[i], 1e-14);
        }
    }
}

TEST_P(Shapes, HalfSolutionsGiveTheInverse) {
  // X = L^-1 B with A = L L^T: X^T X = B^T A^-1 B. B: a band, whose zeros are made use of.
  const auto [n, reach] = GetParam();
  BandBatch L = make(n, reach, 0, 2);
  ASSERT_TRUE(L.factor());
  const auto index = [n = n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  std::vector<double> B(n * n, 0.0);
  for (int i = 0; i < n; ++i)
    for (int j = std::max(0, i - reach); j <= std::min(n - 1, i + reach); ++j)
      B[index(i, j)] = 1.0 / (1 + i + 2 * j);
  std::vector<double> X = B;
  std::vector<double> all = B;
  L.forward_solve_lane(1, n, reach + 1, X.data());
  L.forward_solve_lane(1, n, n, all.data());
  EXPECT_EQ(X, all);
  for (int c = 0; c < n; ++c) {
    std::vector<double> solved(n);
    for (int i = 0; i < n; ++i) solved[i] = B[index(i, c)];
    L.solve_lane(1, solved.data());
    for (int b = 0; b < n; ++b) {
      double expected = 0, found = 0;
      for (int i = 0; i < n; ++i) {
        expected += B[index(i, b)] * solved[i];
        found += X[index(i, b)] * X[index(i, c)];
      }
      EXPECT_NEAR(found, expected, 1e-14);
    }
  }
}

TEST_P(Shapes, CompanyChangesNothing) {
  const auto [n, reach] = GetParam();
  BandBatch together = make(n, reach, 0, 5);
  BandBatch alone = make(n, reach, 3, 1);
  ASSERT_TRUE(together.factor());
  ASSERT_TRUE(alone.factor());
  const BandBatch Z = together.inverse_band();
  const BandBatch Z_alone = alone.inverse_band();
  for (int j = 0; j < n; ++j)
    for (int d = 0; d <= Z.reach(); ++d) EXPECT_EQ(Z.at(j, d)[3], *Z_alone.at(j, d));
}

INSTANTIATE_TEST_SUITE_P(BandBatch, Shapes,
                         testing::Values(std::pair{1, 0}, std::pair{1, 4}, std::pair{5, 0},
                                         std::pair{5, 1}, std::pair{6, 9}, std::pair{17, 4},
                                         std::pair{74, 9}));

TEST(BandBatch, FailuresAreValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan}) {
    BandBatch A = make(5, 2, 0, 3);
    A.at(3, 0)[1] = bad;
    EXPECT_FALSE(A.factor());
  }
  BandBatch indefinite = make(5, 2, 0, 3);
  indefinite.at(2, 1)[2] = 50;
  EXPECT_FALSE(indefinite.factor());
}

}  // namespace
}  // namespace spex
