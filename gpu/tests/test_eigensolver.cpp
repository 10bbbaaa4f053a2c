#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "gpu/core/eigensolver.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/count.hpp"
#include "reference/linalg/symmetric.hpp"

namespace spex::gpu {
namespace {

constexpr EighRoutine routines[] = {EighRoutine::dsyevd, EighRoutine::syevj,
                                    EighRoutine::syevj_batched, EighRoutine::syev_batched};

class SymmetricEigen : public test::GpuTest {
 protected:
  // Decomposes all matrices of order n.
  void decompose(EighRoutine routine, const std::vector<double>& matrices, int n) {
    const int count = static_cast<int>(matrices.size() / count_of(n, n));
    const auto A = to_device(matrices);
    const auto values = poisoned<double>(count_of(count, n));
    const auto converged = poisoned<int>(count_of(count));
    solver->decompose(routine, {n, count, A.get(), values.get()}, converged.get());
    V = to_host(A);
    u = to_host(values);
    info = to_host(converged);
  }
  // The largest element of A - V diag(u) V^T of matrix k, over its largest eigenvalue.
  [[nodiscard]] double error(const std::vector<double>& matrices, int n, int k) const {
    const auto size = count_of(n, n);
    Eigen eigen;
    eigen.n = n;
    eigen.u.assign(u.begin() + k * n, u.begin() + (k + 1) * n);
    eigen.V.assign(V.begin() + k * size, V.begin() + (k + 1) * size);
    std::vector<double> again;
    eigen_block(eigen, eigen.u, 0, n, again);
    double worst = 0;
    for (std::size_t i = 0; i < size; ++i)
      worst = std::max(worst, std::abs(again[i] - matrices[k * size + i]));
    return worst / eigen.u.back();
  }

  void SetUp() override {
    GpuTest::SetUp();
    solver.emplace(context());
  }

  std::optional<SymmetricEigensolver> solver;
  std::vector<double> V, u;
  std::vector<int> info;
};

// [[2, 1], [1, 2]] has the eigenvalues 1 and 3, and diag(5, 4) 4 and 5, ascending.
TEST_F(SymmetricEigen, TwoByTwoByHand) {
  const std::vector<double> matrices{2, 1, 1, 2, 5, 0, 0, 4};
  for (const EighRoutine routine : routines) {
    SCOPED_TRACE(static_cast<int>(routine));
    decompose(routine, matrices, 2);
    EXPECT_EQ(info, (std::vector<int>{0, 0}));
    const std::vector<double> expected{1, 3, 4, 5};
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(u[k], expected[k], 1e-14) << k;
    EXPECT_LT(error(matrices, 2, 0), 1e-14);
    EXPECT_LT(error(matrices, 2, 1), 1e-14);
  }
}

// Bands as N is, of eigenvalues that span 1e10, first of a large order and then of a small one,
// with the same work space.
TEST_F(SymmetricEigen, BandsOfSeveralOrders) {
  for (const int n : {150, 70, 151}) {
    std::vector<double> matrices(2 * count_of(n, n));
    for (int k = 0; k < 2; ++k)
      for (int column = 0; column < n; ++column)
        for (int row = 0; row < n; ++row) {
          const double scale = (row % 10 == k ? 1e-5 : 1) * (column % 10 == k ? 1e-5 : 1);
          matrices[count_of(k, n, n) + count_of(column, n) + row] =
              scale * std::exp(-std::pow(row - column, 2)) * (std::abs(row - column) < 6 ? 1 : 0);
        }
    for (const EighRoutine routine : routines) {
      SCOPED_TRACE(std::to_string(n) + ", routine " + std::to_string(static_cast<int>(routine)));
      decompose(routine, matrices, n);
      EXPECT_EQ(info, (std::vector<int>{0, 0}));
      for (int k = 0; k < 2; ++k) {
        EXPECT_LT(error(matrices, n, k), 2e-15 * n) << k;
        EXPECT_TRUE(std::is_sorted(u.begin() + k * n, u.begin() + (k + 1) * n)) << k;
      }
    }
  }
}

TEST_F(SymmetricEigen, RoutinesOfLapackAreRefused) {
  EXPECT_THROW(decompose(EighRoutine::dsyevr, {1}, 1), std::logic_error);
}

}  // namespace
}  // namespace spex::gpu
