#include <gtest/gtest.h>

#include "reference/extract/normal_equations.hpp"
#include "reference/extract/prior.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

TEST(NormalEquations, AllWaysFollowTheDefinition) {
  const Psf psf = test::make_psf();
  const Spots spots = evaluate_spots(psf, 0, 3, WaveGrid{990, 1, 20}.range(0, 20));
  const PatchSpots patch{&spots, 0, 2, 3, 15};
  const PatchPixels pixels = cut_pixels(test::make_pixels_of_noise(40, 60), {7, 21, 20, 45});
  const SparseProjection A = make_sparse_projection(patch, pixels.range);
  const int n = patch.n();
  std::vector<double> N(n * n, 0.0);
  std::vector<double> y(n, 0.0), q = y;
  for (std::size_t i = 0; i < pixels.p.size(); ++i) {
    std::vector<double> row(n, 0.0);
    for (int k = A.first[i]; k < A.first[i + 1]; ++k) row[A.bin[k]] = A.value[k];
    for (int j = 0; j < n; ++j) {
      const double WA = pixels.W[i] * row[j];
      y[j] += WA * pixels.p[i];
      q[j] += WA;
      for (int k = 0; k < n; ++k) N[j * n + k] += WA * row[k];
    }
  }
  for (const NormalEquations& e : {assemble_sparse(patch, pixels), assemble_dense(patch, pixels),
                                   whole(assemble_bands(patch, pixels))}) {
    ASSERT_EQ(e.n, n);
    for (int column = 0; column < n; ++column) {
      EXPECT_NEAR(e.y[column], y[column], 1e-12);
      EXPECT_NEAR(e.q[column], q[column], 1e-14);
      for (int row = column; row < n; ++row)
        EXPECT_NEAR(e.N[column * n + row], N[column * n + row], 1e-15);
    }
  }
}

// As wide as spots overlap, with both triangles of the blocks on the diagonal.
TEST(NormalEquations, BandsAreThoseOfTheWholeMatrix) {
  const Psf psf = test::make_psf();
  const Spots spots = evaluate_spots(psf, 0, 3, WaveGrid{990, 1, 20}.range(0, 20));
  const PatchSpots patch{&spots, 0, 2, 3, 15};
  const PatchPixels pixels = cut_pixels(test::make_pixels_of_noise(40, 60), {7, 21, 20, 45});
  const BlockBands N = assemble_bands(patch, pixels).N;
  const BlockBands expected = by_spectra(assemble_sparse(patch, pixels), 15).N;
  EXPECT_EQ(N.reach(), expected.reach());
  EXPECT_EQ(N.apart(), expected.apart());
  for (int s = 0; s < 3; ++s)
    for (int v = 0; v < 15; ++v)
      for (int w = std::max(0, v - N.reach()); w <= std::min(14, v + N.reach()); ++w)
        EXPECT_EQ(N.column(s, s, v)[w - v + N.reach()], N.at(s, w, s, v));
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

TEST(Prior, PullsBinsThatPixelsConstrain) {
  EXPECT_FALSE(is_pulled(0.1, 0.1, 0)) << "lambda is 0";
  EXPECT_TRUE(is_pulled(0.1, 0.2, 0)) << "lambda^2 is a tenth of q";
  EXPECT_TRUE(is_pulled(0.1, 0.2, 0.5));
  EXPECT_FALSE(is_pulled(0.1, 0.2, 0.51)) << "flagged SOMEBADPIX instead";
  EXPECT_FALSE(is_pulled(1, 0.5, 0)) << "more than m";
  // lambda^2 = 1e-5 q at m = q + sqrt(1e-5 q)
  EXPECT_FALSE(is_pulled(0.1, 0.1 + 0.999e-3, 0));
  EXPECT_TRUE(is_pulled(0.1, 0.1 + 1.001e-3, 0));
  EXPECT_TRUE(is_pulled(1e-12, 0, 0)) << "the constant 1e-15 is a thousandth of q";
}

}  // namespace
}  // namespace spex
