#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "reference/linalg/band_batch.hpp"
#include "reference/linalg/dense_lanes.hpp"

namespace spex {
namespace {

// Diagonally dominant, different in each lane, not Toeplitz.
double element(int lane, int i, int j) {
  const int d = std::abs(i - j);
  return d == 0 ? 4.0 + 0.1 * i + lane : (0.9 - 0.05 * (std::min(i, j) % 7) - 0.02 * lane) / d;
}

BandBatch make(int n, int reach, int first_lane, int lanes,
               Instructions instructions = Instructions::any) {
  BandBatch A(n, reach, lanes, instructions);
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
  ASSERT_EQ(A.width(), 8);
  *A.at(0, 0) = 2, *A.at(0, 1) = 1, *A.at(1, 0) = 2;
  ASSERT_TRUE(A.factor());  // d = 2, 3/2; l = 1/2
  EXPECT_EQ(*A.at(0, 0), 0.5);
  EXPECT_EQ(*A.at(0, 1), 0.5);
  EXPECT_NEAR(*A.at(1, 0), 2.0 / 3, 1e-16);
  AlignedDoubles x(16, 0.0);
  x[0] = 3;
  A.solve(x);
  EXPECT_NEAR(x[0], 2, 1e-15);
  EXPECT_NEAR(x[8], -1, 1e-15);
  const BandBatch Z = A.inverse_band();
  EXPECT_NEAR(*Z.at(0, 0), 2.0 / 3, 1e-15);
  EXPECT_NEAR(*Z.at(0, 1), -1.0 / 3, 1e-15);
  EXPECT_NEAR(*Z.at(1, 0), 2.0 / 3, 1e-15);
}

class Shapes : public testing::TestWithParam<std::pair<int, int>> {};

// A^-1 of a lane, column after column.
std::vector<double> inverse_of(const BandBatch& L, int lane) {
  const int n = L.n();
  std::vector<double> inverse;
  for (int column = 0; column < n; ++column) {
    AlignedDoubles x(count_of(n, L.width()), 0.0);
    x[column * L.width() + lane] = 1;
    L.solve(x);
    for (int i = 0; i < n; ++i) inverse.push_back(x[i * L.width() + lane]);
  }
  return inverse;
}

TEST_P(Shapes, SolvesAndInverts) {
  const auto [n, reach] = GetParam();
  constexpr int lanes = 3;
  const BandBatch A = make(n, reach, 0, lanes);
  BandBatch L = A;
  ASSERT_TRUE(L.factor());
  // A x for two known x; then unit vectors for the inverse.
  const int width = L.width();
  AlignedDoubles y(count_of(n, 2, width), 0.0);
  for (int k = 0; k < lanes; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        y[2 * i * width + k] += at(A, k, i, j) * (j - 2);
        y[(2 * i + 1) * width + k] += at(A, k, i, j) * (1 + k);
      }
  L.solve(y, 2);
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < lanes; ++k) {
      EXPECT_NEAR(y[2 * j * width + k], j - 2, 1e-12);
      EXPECT_NEAR(y[(2 * j + 1) * width + k], 1 + k, 1e-12);
    }

  const BandBatch Z = L.inverse_band();
  for (int k = 0; k < lanes; ++k) {
    const std::vector<double> inverse = inverse_of(L, k);
    for (int column = 0; column < n; ++column)
      for (int i = 0; i < n; ++i)
        if (std::abs(i - column) <= Z.reach()) {
          EXPECT_NEAR(at(Z, k, i, column), inverse[column * n + i], 1e-14);
        }
  }
}

TEST_P(Shapes, HalfSolutionsGiveTheInverse) {
  // X = L^-1 B with A = L L^T: X^T X = B^T A^-1 B. B: a band, whose zeros are made use of.
  const auto [n, reach] = GetParam();
  BandBatch L = make(n, reach, 0, 2);
  ASSERT_TRUE(L.factor());
  const int columns = whole_groups(n);
  const auto index = [columns](int i, int j) { return static_cast<std::size_t>(i * columns + j); };
  AlignedDoubles B(n * columns, 0.0);
  for (int i = 0; i < n; ++i)
    for (int j = std::max(0, i - reach); j <= std::min(n - 1, i + reach); ++j)
      B[index(i, j)] = 1.0 / (1 + i + 2 * j);
  AlignedDoubles X = B;
  AlignedDoubles all = B;
  L.half_solve(1, columns, reach + 1, X);
  L.half_solve(1, columns, columns, all);
  EXPECT_EQ(X, all);
  for (int i = 0; i < n; ++i)  // nor are zeros read that are far away
    for (int j = BandBatch::half_solve_reads(i, reach + 1, L.reach()); j < columns; ++j)
      B[index(i, j)] = std::nan("");
  X = B;
  L.half_solve(1, columns, reach + 1, X);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < columns; ++j) {
      if (std::isnan(B[index(i, j)]))
        B[index(i, j)] = 0;
      else
        EXPECT_EQ(X[index(i, j)], all[index(i, j)]);
    }
  AlignedDoubles D(columns * columns, 0.0);
  dense_kernels(Instructions::any).add_gram(n, columns, reach + 1, X.data(), D.data());
  const std::vector<double> inverse = inverse_of(L, 1);
  for (int c = 0; c < n; ++c)
    for (int b = 0; b <= c; ++b) {
      double expected = 0;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          expected += B[index(i, b)] * inverse[j * n + i] * B[index(j, c)];
      EXPECT_NEAR(D[index(b, c)], expected, 1e-14);
    }
}

TEST_P(Shapes, CompanyChangesNothing) {
  const auto [n, reach] = GetParam();
  BandBatch together = make(n, reach, 0, 11);
  BandBatch alone = make(n, reach, 3, 1);
  ASSERT_TRUE(together.factor());
  ASSERT_TRUE(alone.factor());
  const BandBatch Z = together.inverse_band();
  const BandBatch Z_alone = alone.inverse_band();
  for (int j = 0; j < n; ++j)
    for (int d = 0; d <= Z.reach(); ++d) EXPECT_EQ(Z.at(j, d)[3], *Z_alone.at(j, d));
}

TEST_P(Shapes, ShiftedIsTheMatrixWithAShiftInEachLane) {
  const auto [n, reach_of_shape] = GetParam();
  const int reach = std::min(reach_of_shape, n - 1);
  std::vector<double> A;
  for (int j = 0; j < n; ++j)
    for (int d = 0; d <= reach; ++d) A.push_back(j + d < n ? element(0, j + d, j) : 0);
  const AlignedDoubles shift{0.5, 1, 2, 3, 4, 5, 6, 7};
  const BandBatch batch = BandBatch::shifted(n, reach, A, shift);
  for (int j = 0; j < n; ++j)
    for (int d = 0; d <= reach; ++d)
      for (int k = 0; k < 8; ++k) {
        const double a = A[count_of(j, reach + 1) + count_of(d)];
        EXPECT_EQ(batch.at(j, d)[k], d == 0 ? a + shift[k] : a);
      }
}

TEST(BandBatch, MirrorCopiesTheUpperTriangle) {
  constexpr int columns = 24;
  AlignedDoubles D(count_of(columns, columns));
  for (std::size_t k = 0; k < D.size(); ++k) D[k] = static_cast<double>(k);
  const AlignedDoubles before = D;
  dense_kernels(Instructions::any).mirror(columns, D.data());
  for (int i = 0; i < columns; ++i)
    for (int j = 0; j < columns; ++j)
      EXPECT_EQ(D[i * columns + j], before[std::min(i, j) * columns + std::max(i, j)]);
}

// Every instruction set of this processor against the first, to the bit.
TEST_P(Shapes, InstructionSetsGiveTheSameBytes) {
  const auto [n, reach] = GetParam();
  const int columns = whole_groups(n);
  AlignedDoubles matrix(columns * columns, 0.0);
  AlignedDoubles vector(columns, 0.0);
  for (int j = 0; j < n; ++j) {
    vector[j] = std::sin(0.3 * j) + 0.1;
    for (int i = 0; i < n; ++i) matrix[i * columns + j] = std::cos(1.7 * (i + j)) / (1 + i + j);
  }
  const auto everything = [&, n = n, reach = reach](Instructions set) {
    const BandKernels& kernels = band_kernels(set);
    const DenseKernels& dense = dense_kernels(set);
    std::vector<AlignedDoubles> results;
    BandBatch L = make(n, reach, 0, 19, set);
    EXPECT_TRUE(L.factor());
    const int width = L.width();
    const BandBatch Z = L.inverse_band();
    const std::size_t size = count_of(n, L.reach() + 1, width);
    results.emplace_back(L.at(0, 0), L.at(0, 0) + size);
    results.emplace_back(Z.at(0, 0), Z.at(0, 0) + size);
    AlignedDoubles x(count_of(n, 2, width));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::sin(0.01 * static_cast<double>(k));
    L.solve(x, 2);
    results.push_back(x);
    AlignedDoubles y(x.size());
    dense.multiply(n, columns, matrix.data(), 2 * width, x.data(), y.data());
    results.push_back(y);
    AlignedDoubles V(matrix.begin(), matrix.begin() + n * columns);
    L.half_solve(0, columns, columns, V);
    results.push_back(V);
    AlignedDoubles D(columns * columns, 0.0);
    dense.add_gram(n, columns, columns, V.data(), D.data());
    // Blocks below the diagonal are not of the result.
    for (int i = 0; i < columns; ++i)
      for (int j = 0; j < i / 8 * 8; ++j) D[i * columns + j] = 0;
    results.push_back(D);
    dense.mirror(columns, D.data());
    results.push_back(D);
    AlignedDoubles shifted(size);
    kernels.shift_band({n, L.reach(), width}, matrix.data(), x.data(), shifted.data());
    results.push_back(shifted);
    AlignedDoubles left = vector;
    dense.subtract_product(n, columns, matrix.data(), vector.data(), left.data());
    results.push_back(left);
    results.push_back({dense.sum_of_magnitudes(n, columns, matrix.data(), vector.data())});
    results.push_back({dense.largest_column(n, columns, matrix.data())});
    AlignedDoubles weight(width), shift(width);
    for (int k = 0; k < width; ++k) weight[k] = 0.1 + k, shift[k] = 1.0 / (1 + k);
    AlignedDoubles sums(2 * n);
    kernels.weighted_sums(2 * n, width, weight.data(), x.data(), sums.data());
    results.push_back(sums);
    AlignedDoubles Q(count_of(n, L.reach() + 1));
    kernels.band_of_root({n, L.reach(), width}, weight.data(), shift.data(), Z.at(0, 0), Q.data());
    results.push_back(Q);
    const int full = 2 * L.reach() + 1;
    AlignedDoubles before(count_of(n, full, width)), f(count_of(n + full - 1, width + 16));
    for (std::size_t k = 0; k < before.size(); ++k)
      before[k] = std::cos(0.2 * static_cast<double>(k));
    for (std::size_t k = 0; k < f.size(); ++k) f[k] = std::sin(0.7 * static_cast<double>(k));
    AlignedDoubles rest(count_of(n, width));
    kernels.subtract_neighbors({n, L.reach(), width}, before.data(), before.data(), f.data(),
                               x.data(), rest.data());
    results.push_back(rest);
    return results;
  };
  const std::vector<AlignedDoubles> expected = everything(Instructions::any);
  for (const Instructions set : available_instructions()) {
    const std::vector<AlignedDoubles> found = everything(set);
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_EQ(found[k], expected[k]) << to_string(set) << " " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(BandBatch, Shapes,
                         testing::Values(std::pair{1, 0}, std::pair{1, 4}, std::pair{5, 0},
                                         std::pair{5, 1}, std::pair{6, 9}, std::pair{17, 4},
                                         std::pair{74, 6}, std::pair{74, 8}, std::pair{74, 11}));

TEST(BandBatch, FailuresAreValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan}) {
    BandBatch A = make(5, 2, 0, 3);
    A.at(3, 0)[1] = bad;
    EXPECT_FALSE(A.factor());
    EXPECT_TRUE(A.positive(0));
    EXPECT_FALSE(A.positive(1));
    EXPECT_TRUE(A.positive(2));
  }
  BandBatch indefinite = make(5, 2, 0, 3);
  indefinite.at(2, 1)[2] = 50;
  EXPECT_FALSE(indefinite.factor());
  EXPECT_FALSE(indefinite.positive(2));
}

}  // namespace
}  // namespace spex
