#include <random>

#include <gtest/gtest.h>

#include "reference/extract/projection.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

class Projection : public testing::Test {
 protected:
  const Psf psf = test::make_psf();
  const Spots spots = evaluate_spots(psf, 0, 3, WaveGrid{990, 1, 20}.range(0, 20));
  const PatchSpots patch{&spots, 0, 2, 3, 15};
  // Cuts spots on all four sides.
  const PixelRange range{7, 21, 20, 45};

  // A_ij straight from the definition.
  [[nodiscard]] double A(int pixel, int j) const {
    const int x = range.x0 + pixel % range.nx() - patch.xc(j);
    const int y = range.y0 + pixel / range.nx() - patch.yc(j);
    const bool inside = x >= 0 && x < spots.nx && y >= 0 && y < spots.ny;
    return inside ? patch.spot(j)[y * spots.nx + x] : 0;
  }
  [[nodiscard]] int npixel() const { return range.nx() * range.ny(); }
};

std::vector<double> random_vector(int n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> v(n);
  for (double& x : v) x = uniform(random);
  return v;
}

TEST_F(Projection, TwoAtOnceAreTheSameBits) {
  const std::vector<double> v = random_vector(npixel(), 2);
  const std::vector<double> w = random_vector(npixel(), 3);
  const auto [Atv, Atw] = apply_transpose(patch, range, v, w);
  EXPECT_EQ(Atv, apply_transpose(patch, range, v));
  EXPECT_EQ(Atw, apply_transpose(patch, range, w));
}

TEST_F(Projection, OperatorsFollowTheDefinition) {
  const std::vector<double> f = random_vector(patch.n(), 1);
  const std::vector<double> v = random_vector(npixel(), 2);
  const std::vector<double> Af = apply(patch, range, f);
  const std::vector<double> Atv = apply_transpose(patch, range, v);
  for (int i = 0; i < npixel(); ++i) {
    double sum = 0;
    for (int j = 0; j < patch.n(); ++j) sum += A(i, j) * f[j];
    EXPECT_NEAR(Af[i], sum, 1e-14);
  }
  for (int j = 0; j < patch.n(); ++j) {
    double sum = 0;
    for (int i = 0; i < npixel(); ++i) sum += A(i, j) * v[i];
    EXPECT_NEAR(Atv[j], sum, 1e-14);
  }
}

TEST_F(Projection, SparseFormHoldsTheSameMatrix) {
  const SparseProjection sparse = make_sparse_projection(patch, range);
  ASSERT_EQ(sparse.first.size(), static_cast<std::size_t>(npixel() + 1));
  for (int i = 0; i < npixel(); ++i) {
    std::vector<double> row(patch.n(), 0.0);
    int previous = -1;
    for (int k = sparse.first[i]; k < sparse.first[static_cast<std::size_t>(i) + 1]; ++k) {
      const int j = sparse.bin[k];
      EXPECT_GT(j, previous) << "bins ascend within a pixel";
      previous = j;
      row[j] = sparse.value[k];
    }
    for (int j = 0; j < patch.n(); ++j) EXPECT_EQ(row[j], A(i, j));
  }
}

TEST_F(Projection, DensePanelsHoldTheSameMatrix) {
  PixelRange band = range;
  band.y0 += 3;  // of the range's rows 3 to 7
  band.y1 = band.y0 + 5;
  for (int s = 0; s < patch.nspec; ++s) {
    const DensePanel panel = make_dense_panel(patch, s, band);
    ASSERT_GT(panel.rows, 0);
    EXPECT_EQ(panel.A.size(), static_cast<std::size_t>(panel.rows * (panel.w1 - panel.w0)));
    for (int w = 0; w < patch.nwave; ++w)
      for (int y = band.y0; y < band.y1; ++y)
        for (int x = band.x0; x < band.x1; ++x) {
          const bool stored = x >= panel.x0 && x < panel.x1 && w >= panel.w0 && w < panel.w1;
          const double value =
              stored
                  ? panel.A[(w - panel.w0) * panel.rows + (x - panel.x0) * band.ny() + y - band.y0]
                  : 0;
          const int i = (y - range.y0) * range.nx() + x - range.x0;
          EXPECT_EQ(value, A(i, s * patch.nwave + w)) << "pixel " << i << " bin " << w;
        }
  }
}

TEST_F(Projection, SpectrumBesideTheRangeHasNoRows) {
  const PixelRange right{30, 40, 20, 45};
  const DensePanel panel = make_dense_panel(patch, 0, right);
  EXPECT_EQ(panel.rows, 0);
  EXPECT_TRUE(panel.A.empty());
}

TEST(CutPixels, CopiesTheRange) {
  const Pixels pixels = test::make_pixels_of_noise(5, 4);
  const PatchPixels cut = cut_pixels(pixels, {1, 3, 2, 4});
  EXPECT_EQ(cut.p, (std::vector<double>{pixels.value[11], pixels.value[12], pixels.value[16],
                                        pixels.value[17]}));
  EXPECT_EQ(cut.W, (std::vector<double>{pixels.weight[11], pixels.weight[12], pixels.weight[16],
                                        pixels.weight[17]}));
  EXPECT_TRUE(cut_pixels(pixels, {3, 1, 2, 4}).p.empty());
}

}  // namespace
}  // namespace spex
