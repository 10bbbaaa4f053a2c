#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/layout/check_coverage.hpp"
#include "reference/layout/patches.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

ExtractOptions options(int bundlesize, int nsubbundles, int nwavestep) {
  ExtractOptions o;
  o.bundlesize = bundlesize;
  o.nsubbundles = nsubbundles;
  o.nwavestep = nwavestep;
  return o;
}

TEST(Patches, ProductionFrame) {
  const std::vector<Patch> patches =
      make_patches(ExtractOptions{}, make_wave_grid({5760, 7620, 0.8}), 500);
  EXPECT_EQ(patches.size(), 20U * 5U * 47U);
  const Patch& first = patches.front();
  EXPECT_EQ(first.pad_below, 0);
  EXPECT_EQ(first.pad_above, 1);
  EXPECT_EQ(first.n(), 6 * 74);
  const Patch& inner = patches[47];
  EXPECT_EQ(inner.subbundle, 1);
  EXPECT_EQ(inner.padded_spec_first(), 4);
  EXPECT_EQ(inner.n(), 7 * 74);
  const Patch& last = patches.back();
  EXPECT_EQ(last.spec_first, 495);
  EXPECT_EQ(last.pad_above, 0);
  EXPECT_EQ(last.wave_first, 2300);
  EXPECT_EQ(last.nwave, 50);
  EXPECT_EQ(last.nkept, 26);
  EXPECT_EQ(last.padded_wave_first(), 2288);
}

TEST(Patches, EveryBinIsInOnePatch) {
  const WaveGrid grid = make_wave_grid({1000, 1016, 1});
  std::set<std::pair<int, int>> bins;
  for (const Patch& patch : make_patches(options(6, 3, 5), grid, 15))  // a bundle and a half
    for (int s = 0; s < patch.nspec; ++s)
      for (int w = 0; w < patch.nkept; ++w)
        EXPECT_TRUE(bins.emplace(patch.spec_first + s, patch.wave_first + w).second);
  EXPECT_EQ(bins.size(), 15U * 17U);
}

TEST(Patches, PartOfABundleKeepsItsNeighbors) {
  ExtractOptions o = options(6, 3, 50);
  o.specmin = 3;
  o.nspec = 1;
  const std::vector<Patch> patches = make_patches(o, make_wave_grid({1000, 1010, 1}), 12);
  ASSERT_EQ(patches.size(), 1U);
  EXPECT_EQ(patches[0].spec_first, 2);
  EXPECT_EQ(patches[0].nspec, 2);
  EXPECT_EQ(patches[0].pad_below, 1);
  EXPECT_EQ(patches[0].pad_above, 1);
}

TEST(Patches, ShortLastBundle) {
  const std::vector<Patch> patches =
      make_patches(options(4, 2, 50), make_wave_grid({1000, 1010, 1}), 7);
  ASSERT_EQ(patches.size(), 4U);
  EXPECT_EQ(patches[3].spec_first, 6);
  EXPECT_EQ(patches[3].nspec, 1);
  EXPECT_EQ(patches[3].pad_below, 1);
  EXPECT_EQ(patches[3].pad_above, 0);
}

TEST(Patches, InvalidOptionsAreUsageErrors) {
  const WaveGrid grid = make_wave_grid({1000, 1010, 1});
  std::vector<ExtractOptions> wrong(11);
  wrong[0].nsubbundles = 3;
  wrong[1].bundlesize = 0;
  wrong[2].nwavestep = 0;
  wrong[3].wavepad = -1;
  wrong[4].pixpad_frac = 1.5;
  wrong[5].wavepad_frac = -0.1;
  wrong[6].specmin = 50;
  wrong[7].nspec = 0;
  wrong[8].nspec = 51;
  wrong[9].specmin = -1;
  wrong[10].regularize = -1;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    try {
      static_cast<void>(make_patches(wrong[i], grid, 50));
      ADD_FAILURE() << "case " << i;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    }
  }
}

TEST(UsedRows, TruncateInDoubleArithmetic) {
  // 10 (1 - 0.8) is 1.9999999999999996, and int() gives 1, not 2.
  const RowRange rows = used_rows(100, 200, 110, 190, 0.8);
  EXPECT_EQ(rows.lo, 101);
  EXPECT_EQ(rows.hi, 100 + 98);
  const RowRange none = used_rows(100, 200, 110, 190, 0.0);
  EXPECT_EQ(none.lo, 110);
  EXPECT_EQ(none.hi, 190);
  const RowRange all = used_rows(100, 200, 110, 190, 1.0);
  EXPECT_EQ(all.lo, 100);
  EXPECT_EQ(all.hi, 200);
}

class UsedPixels : public testing::Test {
 protected:
  const Psf psf = test::make_psf();
  const Spots spots = evaluate_spots(psf, 0, 3, make_wave_grid({990, 1009, 1}).range(0, 20));
  const PatchSpots patch{&spots, 0, 0, 3, 20};
};

TEST_F(UsedPixels, CoverAllColumnsAndTheCoresRows) {
  const PixelRange range = used_pixels(patch, 4, 0.0, 1000, 1000);
  int x0 = 1000, x1 = 0, y0 = 1000, y1 = 0;
  for (int s = 0; s < 3; ++s)
    for (int w = 0; w < 20; ++w) {
      x0 = std::min(x0, spots.xc[spots.index(s, w)]);
      x1 = std::max(x1, spots.xc[spots.index(s, w)] + spots.nx);
      if (w < 4 || w >= 16) continue;
      y0 = std::min(y0, spots.yc[spots.index(s, w)]);
      y1 = std::max(y1, spots.yc[spots.index(s, w)] + spots.ny);
    }
  EXPECT_EQ(range.x0, x0);
  EXPECT_EQ(range.x1, x1);
  EXPECT_EQ(range.y0, y0);
  EXPECT_EQ(range.y1, y1);
}

TEST_F(UsedPixels, AreClippedToTheCcd) {
  const PixelRange whole = used_pixels(patch, 4, 0.8, 1000, 1000);
  const PixelRange cut = used_pixels(patch, 4, 0.8, whole.x1 - 3, whole.y1 - 5);
  EXPECT_EQ(cut.x1, whole.x1 - 3);
  EXPECT_EQ(cut.y1, whole.y1 - 5);
  const Psf left = test::make_psf({.x_first = 1, .y_middle = 10});
  const Spots corner = evaluate_spots(left, 0, 3, make_wave_grid({990, 1009, 1}).range(0, 20));
  const PixelRange low = used_pixels({&corner, 0, 0, 3, 20}, 4, 0.8, 1000, 1000);
  EXPECT_EQ(low.x0, 0);
  EXPECT_EQ(low.y0, 0);
  const PixelRange off = used_pixels(patch, 4, 0.8, 1000, whole.y0);
  EXPECT_EQ(off.ny(), 0);
}

TEST(Coverage, GridOutsideOfTheCcdIsAUsageError) {
  const Psf psf = test::make_psf();
  const ExtractOptions o;
  const auto check = [&](WaveRange range) {
    const WaveGrid grid = make_wave_grid(range);
    check_coverage(psf, grid, make_patches(o, grid, psf.nfiber), "psf.fits");
  };
  EXPECT_NO_THROW(check({900, 1000, 1}));
  EXPECT_THROW(check({800, 900, 1}), Error);
}

// A PSF that covers the grid's wavelengths, but with all traces outside of the CCD.
TEST(Coverage, TracesOutsideOfTheCcdAreADataError) {
  Psf psf = test::make_psf();
  for (int fiber = 0; fiber < psf.nfiber; ++fiber)
    psf.xtrace.coeff[static_cast<std::size_t>(fiber) * psf.xtrace.ncoeff] += 1e6;
  const ExtractOptions o;
  const WaveGrid grid = make_wave_grid({psf.ytrace.wavemin + 10, psf.ytrace.wavemin + 20, 1});
  try {
    check_coverage(psf, grid, make_patches(o, grid, psf.nfiber), "psf.fits");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), testing::StartsWith("psf.fits: the traces lie outside of the CCD"));
  }
}

}  // namespace
}  // namespace spex
