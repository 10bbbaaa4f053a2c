#include <gtest/gtest.h>

#include "reference/extract/chi_square.hpp"
#include "reference/extract/quality.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

// One fiber, one bin: a flat spot of 7 x 5 pixels would be ideal; the real one does, since the sums
// are over its own values.
class Quality : public testing::Test {
 protected:
  const Psf psf = test::make_psf({.nfiber = 1});
  const Spots spots = evaluate_spots(psf, 0, 1, {1000.0});
  const PatchSpots patch{&spots, 0, 0, 1, 1};
  const PixelRange range{spots.xc[0], spots.xc[0] + 7, spots.yc[0], spots.yc[0] + 5};
  PatchPixels pixels{range, std::vector<double>(35, 0.0), std::vector<double>(35, 4.0)};
};

TEST_F(Quality, PixmaskIsTheMaskedShareOfTheSpot) {
  EXPECT_NEAR(pixmask_fraction(patch, pixels)[0], 0, 1e-15);
  pixels.W[17] = 0;
  EXPECT_NEAR(pixmask_fraction(patch, pixels)[0], patch.spot(0)[17], 1e-15);
  pixels.W.assign(35, 0.0);
  EXPECT_EQ(pixmask_fraction(patch, pixels)[0], 1);
}

TEST_F(Quality, LightOutsideTheRangeCountsAsMasked) {
  PatchPixels lower{{range.x0, range.x1, range.y0, range.y0 + 2},
                    std::vector<double>(14, 0.0),
                    std::vector<double>(14, 4.0)};
  double inside = 0;
  for (int i = 0; i < 14; ++i) inside += patch.spot(0)[i];
  EXPECT_NEAR(pixmask_fraction(patch, lower)[0], 1 - inside, 1e-15);
}

TEST_F(Quality, Chi2OfAPerfectModelIsZero) {
  pixels.p = apply(patch, range, {100.0});
  EXPECT_NEAR(chi2pix(patch, patch, pixels, {100.0}, 0.01)[0], 0, 1e-20);
}

TEST_F(Quality, Chi2ByHand) {
  // No model light: residual 3, 1/W = 0.25, so that every pixel contributes 9 / 0.25.
  pixels.p.assign(35, 3.0);
  EXPECT_NEAR(chi2pix(patch, patch, pixels, {0.0}, 0.01)[0], 36, 1e-12);
  // One bright pixel and a PSF error: its residual is weighted by t = 1 / ((psferr m)^2 + 1 / W).
  const double f = 1000;
  pixels.p = apply(patch, range, {f});
  pixels.p[17] += 5;
  const double a = patch.spot(0)[17];
  const double t = 1 / (0.02 * a * f * 0.02 * a * f + 0.25);
  EXPECT_NEAR(chi2pix(patch, patch, pixels, {f}, 0.02)[0], a * 25 * t, 1e-12);
}

TEST_F(Quality, Chi2LeavesMaskedPixelsOut) {
  pixels.p.assign(35, 3.0);
  pixels.p[17] = 1e6;
  pixels.W[17] = 0;
  EXPECT_NEAR(chi2pix(patch, patch, pixels, {0.0}, 0.01)[0], 36, 1e-12);
  pixels.W.assign(35, 0.0);
  EXPECT_EQ(chi2pix(patch, patch, pixels, {0.0}, 0.01)[0], 0);
}

// Three fibers of nine bins, of which the core is the middle fiber's third to sixth bin: padding
// lights the core's pixels, and the box around the core's spots is smaller than the patch's pixels.
TEST(QualityOfACore, IsThatOfAllBinsToTheBit) {
  const Psf psf = test::make_psf();
  const Spots spots = evaluate_spots(
      psf, 0, 3, {996.0, 997.0, 998.0, 999.0, 1000.0, 1001.0, 1002.0, 1003.0, 1004.0});
  const PatchSpots all{&spots, 0, 0, 3, 9}, core{&spots, 1, 2, 1, 4};
  const PixelRange range{0, 40, 22, 39};
  const PatchPixels pixels = cut_pixels(test::make_pixels_of_noise(40, 60), range);
  const PixelRange box = box_around(core, range);
  EXPECT_GT(box.x0, range.x0);
  EXPECT_LT(box.x1, range.x1);
  EXPECT_GT(box.y0, range.y0);
  EXPECT_LT(box.y1, range.y1);
  std::vector<double> f;
  for (int j = 0; j < all.n(); ++j) f.push_back(100 + 7 * j);
  const std::vector<double> expected = chi2pix(all, all, pixels, f, 0.05);
  const std::vector<double> found = chi2pix(core, all, pixels, f, 0.05);
  ASSERT_EQ(found.size(), 4U);
  for (int w = 0; w < 4; ++w) EXPECT_EQ(found[w], expected[9 + 2 + w]);
  // The padding's light matters.
  std::vector<double> none(f.size(), 0.0);
  std::copy_n(f.begin() + 11, 4, none.begin() + 11);
  EXPECT_NE(chi2pix(core, all, pixels, none, 0.05), found);
}

// A dark pixel of residual 3 among bright ones of residual 1: gpu_specter's GPU path leaves it out.
TEST_F(Quality, BrightPixelsAreThoseWithModelLight) {
  pixels.p = apply(patch, range, {100.0});
  for (double& p : pixels.p) p += 1;
  const double all = chi2pix(patch, patch, pixels, {100.0}, 0.01)[0];
  EXPECT_NEAR(chi2pix(patch, patch, pixels, {100.0}, 0.01, Chi2Pixels::bright)[0], all, 1e-12);
  // Nothing but dark pixels, and no error of the PSF: none counts.
  EXPECT_EQ(chi2pix(patch, patch, pixels, {-100.0}, 0.01, Chi2Pixels::bright)[0], 0);
  EXPECT_EQ(chi2pix(patch, patch, pixels, {100.0}, 0, Chi2Pixels::bright)[0], 0);
  EXPECT_GT(chi2pix(patch, patch, pixels, {-100.0}, 0.01)[0], 0);

  const ChiSquare dark = chi_square(3, -2, 4, 0.01, Chi2Pixels::bright);
  EXPECT_EQ(dark.value, 0);
  EXPECT_FALSE(dark.counts);
  const ChiSquare met = chi_square(3, 3, 4, 0.01, Chi2Pixels::bright);
  EXPECT_FALSE(met.counts);
  const ChiSquare bright = chi_square(5, 3, 4, 0.01, Chi2Pixels::bright);
  EXPECT_TRUE(bright.counts);
  EXPECT_DOUBLE_EQ(bright.value, 4 / (0.03 * 0.03 + 0.25));
}

}  // namespace
}  // namespace spex
