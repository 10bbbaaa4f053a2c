#include <gtest/gtest.h>

#include "reference/extract/normal_equations.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

TEST(NormalEquations, SparseAndDenseFollowTheDefinition) {
  const Psf psf = test::make_psf();
  const Spots spots = evaluate_spots(psf, 0, 3, WaveGrid{990, 1, 20}.range(0, 20));
  const PatchSpots patch{&spots, 0, 2, 3, 15};
  const PatchPixels pixels = cut_pixels(test::make_pixels_of_noise(40, 60), {7, 21, 20, 45});
  const SparseProjection A = make_sparse_projection(patch, pixels.range);
  const int n = patch.n();
  std::vector<double> N(static_cast<std::size_t>(n * n), 0.0);
  std::vector<double> y(static_cast<std::size_t>(n), 0.0), q = y;
  for (std::size_t i = 0; i < pixels.p.size(); ++i) {
    std::vector<double> row(static_cast<std::size_t>(n), 0.0);
    for (int k = A.first[i]; k < A.first[i + 1]; ++k)
      row[static_cast<std::size_t>(A.bin[static_cast<std::size_t>(k)])] =
          A.value[static_cast<std::size_t>(k)];
    for (int j = 0; j < n; ++j) {
      const double WA = pixels.W[i] * row[static_cast<std::size_t>(j)];
      y[static_cast<std::size_t>(j)] += WA * pixels.p[i];
      q[static_cast<std::size_t>(j)] += WA;
      for (int k = 0; k < n; ++k)
        N[static_cast<std::size_t>(j * n + k)] += WA * row[static_cast<std::size_t>(k)];
    }
  }
  for (const NormalEquations& e : {assemble_sparse(patch, pixels), assemble_dense(patch, pixels)}) {
    ASSERT_EQ(e.n, n);
    for (int column = 0; column < n; ++column) {
      EXPECT_NEAR(e.y[static_cast<std::size_t>(column)], y[static_cast<std::size_t>(column)],
                  1e-12);
      EXPECT_NEAR(e.q[static_cast<std::size_t>(column)], q[static_cast<std::size_t>(column)],
                  1e-14);
      for (int row = column; row < n; ++row)
        EXPECT_NEAR(e.N[static_cast<std::size_t>(column * n + row)],
                    N[static_cast<std::size_t>(column * n + row)], 1e-15);
    }
  }
}

TEST(Prior, ByHand) {
  NormalEquations e;
  e.n = 4;
  e.N.assign(16, 0.0);
  e.q = {10, 0, 1e-3, 4e-4};  // m = 1e-3: the second to fourth are at or below it
  add_prior(e, 0.5);
  EXPECT_DOUBLE_EQ(e.N[0], 0.25 + 1e-15);
  EXPECT_DOUBLE_EQ(e.N[5], 1e-6 + 1e-15);
  EXPECT_DOUBLE_EQ(e.N[10], 1e-15);
  EXPECT_DOUBLE_EQ(e.N[15], 6e-4 * 6e-4 + 1e-15);
  EXPECT_EQ(e.N[1], 0);
}

}  // namespace
}  // namespace spex
