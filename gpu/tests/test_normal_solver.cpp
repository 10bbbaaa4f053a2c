#include <cmath>
#include <stdexcept>

#include "gpu/extract/eigh/normal_solver.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

constexpr SolveRoutine solve_routines[] = {SolveRoutine::qr, SolveRoutine::cholesky,
                                           SolveRoutine::cholesky_batched};

class NormalSystem : public test::GpuTest {
 protected:
  void solve(SolveRoutine routine, const std::vector<double>& N, const std::vector<double>& y,
             int n) {
    const int count = static_cast<int>(y.size()) / n;
    const auto N_device = to_device(N), y_device = to_device(y);
    const auto f_device = poisoned<double>(y.size());
    const auto failed_device = poisoned<int>(count_of(count));
    NormalSolver solver(context());
    solver.solve(routine, {n, count, N_device.get(), y_device.get(), f_device.get()},
                 failed_device.get());
    f = to_host(f_device);
    failed = to_host(failed_device);
    EXPECT_EQ(to_host(N_device), N);
    EXPECT_EQ(to_host(y_device), y);
  }

  std::vector<double> f;
  std::vector<int> failed;
};

// [[2, 1], [1, 2]] f = [4, 5] has the solution [1, 2], and diag(4, 5) f = [4, 15] has [1, 3].
TEST_F(NormalSystem, TwoByTwoByHand) {
  for (const SolveRoutine routine : solve_routines) {
    SCOPED_TRACE(static_cast<int>(routine));
    solve(routine, {2, 1, 1, 2, 4, 0, 0, 5}, {4, 5, 4, 15}, 2);
    EXPECT_EQ(failed, (std::vector<int>{0, 0}));
    const std::vector<double> expected{1, 2, 1, 3};
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(f[k], expected[k], 1e-14) << k;
  }
}

// The first of two systems is indefinite: Cholesky notices, QR solves it.
TEST_F(NormalSystem, Indefinite) {
  for (const SolveRoutine routine : solve_routines) {
    SCOPED_TRACE(static_cast<int>(routine));
    solve(routine, {1, 2, 2, 1, 4, 0, 0, 5}, {5, 4, 4, 15}, 2);
    EXPECT_EQ(failed[0] != 0, routine != SolveRoutine::qr);
    EXPECT_EQ(failed[1], 0);
    if (routine == SolveRoutine::qr) {
      EXPECT_NEAR(f[0], 1, 1e-14);
      EXPECT_NEAR(f[1], 2, 1e-14);
    }
    EXPECT_NEAR(f[3], 3, 1e-14);
  }
}

// A band of order 150 whose rows differ in scale by 1e8, as beside bins without light: all routines
// find the same f in units of its error.
TEST_F(NormalSystem, RoutinesAgreeOnAnIllConditionedBand) {
  constexpr int n = 150;
  std::vector<double> N(count_of(n, n)), y(count_of(n), 0.0);
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < n; ++row) {
      const double scale = (row % 20 == 3 ? 1e-4 : 1) * (column % 20 == 3 ? 1e-4 : 1);
      const double element =
          std::abs(row - column) < 6 ? scale * std::exp(-std::pow(row - column, 2)) : 0;
      N[count_of(column, n) + row] = element;
      y[row] += element * (column % 7 - 3);
    }
  for (const SolveRoutine routine : solve_routines) {
    SCOPED_TRACE(static_cast<int>(routine));
    solve(routine, N, y, n);
    for (int j = 0; j < n; ++j)
      EXPECT_NEAR(f[j], j % 7 - 3, 1e-9 / std::sqrt(N[count_of(j, n) + j])) << j;
  }
}

TEST_F(NormalSystem, EigenvectorsAreRefused) {
  EXPECT_THROW(solve(SolveRoutine::eigenvectors, {1}, {1}, 1), std::logic_error);
}

}  // namespace
}  // namespace spex::gpu
