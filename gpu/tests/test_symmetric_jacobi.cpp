#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/linalg/symmetric_jacobi.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/count.hpp"
#include "reference/linalg/symmetric.hpp"

namespace spex::gpu {
namespace {

// D M D, with M close to the unit matrix and D from 1 to `largest`: its eigenvalues span the square
// of `largest`, so that the smallest are below the rounding error of the largest.
std::vector<double> graded(int m, double largest) {
  std::vector<double> C(count_of(m, m));
  for (int column = 0; column < m; ++column)
    for (int row = 0; row < m; ++row) {
      const double scale =
          std::pow(largest, (row * 7 % m + column * 7 % m) / std::max(1.0, m - 1.0));
      C[count_of(column, m) + row] =
          scale * (row == column ? 1 : 0.3 / (1 + std::abs(row - column)));
    }
  return C;
}

class JacobiRoots : public test::GpuTest {
 protected:
  // Finds roots of matrices of one order, each in a separate patch; all, or those selected by
  // `wanted`.
  void find(const std::vector<std::vector<double>>& matrices, int m,
            const std::vector<int>& wanted = {}) {
    std::vector<double> C;
    std::vector<CoreSpectrum> cores;
    for (const std::vector<double>& one : matrices) {
      cores.push_back({static_cast<int>(cores.size()), 0});
      C.insert(C.end(), one.begin(), one.end());
    }
    const auto C_device = to_device(C);
    const auto cores_device = to_device(cores);
    const auto status_device = to_device(std::vector<int>(matrices.size(), 0));
    const auto wanted_device = to_device(wanted);
    find_jacobi_roots({cores_device.get(), static_cast<int>(matrices.size()), wanted_device.get(),
                       m, C_device.get(), status_device.get()},
                      stream());
    Q = to_host(C_device);
    status = to_host(status_device);
  }

  std::vector<double> Q;
  std::vector<int> status;
};

// Compares with the reference's rotations, element by element, for odd and even orders that are not
// multiples of a warp, including the smallest and the largest. Rounding acts on columns, so that
// off-diagonal elements may differ by epsilon times `largest`, 2e-10 here; eigenvectors would lose
// as much as its square.
TEST_F(JacobiRoots, AgreeWithTheReference) {
  for (const int m : {1, 2, 23, 32, 50, 74, 80}) {
    SCOPED_TRACE(m);
    const std::vector<std::vector<double>> matrices{graded(m, 1), graded(m, 1e3), graded(m, 1e6)};
    find(matrices, m);
    EXPECT_EQ(status, (std::vector<int>{0, 0, 0}));
    const std::vector<double> tolerance{1e-11, 1e-11, 1e-10};
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      std::vector<double> expected;
      ASSERT_TRUE(inverse_root(matrices[k], m, expected));
      for (int column = 0; column < m; ++column)
        for (int row = 0; row < m; ++row) {
          const auto at = [&](int i, int j) { return expected[count_of(j, m) + count_of(i)]; };
          ASSERT_NEAR(Q[k * count_of(m, m) + count_of(column, m) + count_of(row)], at(row, column),
                      tolerance[k] * std::sqrt(at(row, row) * at(column, column)))
              << "matrix " << k << ", " << row << ", " << column;
        }
    }
  }
}

TEST_F(JacobiRoots, DoNotDependOnTheBatch) {
  constexpr int m = 74;
  find({graded(m, 1e6)}, m);
  const std::vector<double> alone = Q;
  find({graded(m, 1), graded(m, 1e6), graded(m, 1e3)}, m);
  EXPECT_EQ(alone, std::vector<double>(Q.begin() + m * m, Q.begin() + 2 * m * m));
}

TEST_F(JacobiRoots, AreComputedForSelectedMatrices) {
  constexpr int m = 50;
  const std::vector<std::vector<double>> matrices{graded(m, 1), graded(m, 1e6), graded(m, 1e3)};
  find(matrices, m);
  const std::vector<double> all = Q;
  find(matrices, m, {0, 1, 1});
  EXPECT_EQ(std::vector<double>(Q.begin(), Q.begin() + m * m), matrices[0]);
  EXPECT_EQ(std::vector<double>(Q.begin() + m * m, Q.end()),
            std::vector<double>(all.begin() + m * m, all.end()));
}

TEST_F(JacobiRoots, BadMatricesAffectOnlyTheirPatch) {
  constexpr int m = 23;
  std::vector<std::vector<double>> matrices(3, graded(m, 1e3));
  matrices[0][count_of(4, m) + 4] = -1;
  matrices.push_back(graded(m, 1e3));
  matrices[3][count_of(9, m) + 9] = std::numeric_limits<double>::quiet_NaN();
  matrices[2][count_of(9, m) + 8] = matrices[2][count_of(8, m) + 9] =
      std::numeric_limits<double>::quiet_NaN();
  find(matrices, m);
  EXPECT_EQ(status, (std::vector<int>{1, 0, 1, 1}));
}

}  // namespace
}  // namespace spex::gpu
