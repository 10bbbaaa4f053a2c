#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference/linalg/block_tridiagonal.hpp"

namespace spex {
namespace {

TEST(BlockTridiagonal, TwoByTwoByHand) {
  // [[2, 1], [1, 2]] in one block and in two: L = [[sqrt 2, 0], [1/sqrt 2, sqrt 1.5]].
  for (const int size : {1, 2}) {
    BlockTridiagonal A(2, size);
    EXPECT_EQ(A.nblocks(), 2 / size);
    A.at(0, 0) = 2;
    A.at(1, 0) = 1;
    A.at(1, 1) = 2;
    EXPECT_EQ(A.norm1(), 3);
    ASSERT_TRUE(A.factor());
    EXPECT_NEAR(A.inverse_norm1_estimate(), 1, 1e-15);  // (2 + 1) / 3
    EXPECT_NEAR(A.at(0, 0), std::sqrt(2), 1e-15);
    EXPECT_NEAR(A.at(1, 0), 1 / std::sqrt(2), 1e-15);
    EXPECT_NEAR(A.at(1, 1), std::sqrt(1.5), 1e-15);
    std::vector<double> y{3, 0};
    A.solve(y);
    EXPECT_NEAR(y[0], 2, 1e-15);
    EXPECT_NEAR(y[1], -1, 1e-15);
  }
}

TEST(BlockTridiagonal, FailuresAreValues) {
  BlockTridiagonal indefinite(2, 1);
  indefinite.at(0, 0) = 1;
  indefinite.at(1, 0) = 2;
  indefinite.at(1, 1) = 1;
  EXPECT_FALSE(indefinite.factor());
  BlockTridiagonal nan(2, 2);
  nan.at(0, 0) = std::numeric_limits<double>::quiet_NaN();
  nan.at(1, 1) = 1;
  EXPECT_FALSE(nan.factor());
}

// A band matrix whose last block is short: its factor, a solution and blocks of its inverse.
TEST(BlockTridiagonal, SolvesAndInvertsABand) {
  constexpr int n = 8;
  const auto element = [](int i, int j) {
    const int d = std::abs(i - j);
    return d == 0 ? 4.0 + 0.1 * i : d == 1 ? 1.0 : d == 2 ? -0.5 + 0.05 * std::min(i, j) : 0.0;
  };
  BlockTridiagonal A(n, 3);
  EXPECT_EQ(A.nblocks(), 3);
  EXPECT_EQ(A.rows(2), 2);
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n && i <= j + 2; ++i) A.at(i, j) = element(i, j);
  ASSERT_TRUE(A.factor());

  std::vector<double> x(n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) x[i] += element(i, j) * (j - 3);
  A.solve(x);
  for (int j = 0; j < n; ++j) EXPECT_NEAR(x[j], j - 3, 1e-13);

  // C = X^T X with X = L^-1 E is the inverse of A at the rows and columns of E.
  const std::vector<int> rows{1, 2, 4, 7};
  std::vector<double> C(rows.size() * rows.size());
  A.forward_solve_units(rows, [&](int b, const double* X, int ncolumns) {
    for (int c = 0; c < ncolumns; ++c)
      for (int d = 0; d < ncolumns; ++d)
        for (int i = 0; i < A.rows(b); ++i)
          C[static_cast<std::size_t>(c) * rows.size() + static_cast<std::size_t>(d)] +=
              X[c * A.size() + i] * X[d * A.size() + i];
  });
  for (std::size_t c = 0; c < rows.size(); ++c) {
    std::vector<double> column(n, 0.0);
    column[rows[c]] = 1;
    A.solve(column);
    for (std::size_t d = 0; d < rows.size(); ++d)
      EXPECT_NEAR(C[c * rows.size() + d], column[rows[d]], 1e-15);
  }
}

}  // namespace
}  // namespace spex
