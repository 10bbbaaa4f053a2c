#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/layout/check_coverage.hpp"
#include "reference/layout/patches.hpp"
#include "reference/model/extract_options.hpp"
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

// The traces turn between bins 10 and 11; bins beyond count for nothing.
TEST_F(UsedPixels, BinsWithoutLightDoNotCount) {
  Psf turned = psf;
  turned.ytrace.ncoeff = 3;
  turned.ytrace.coeff.clear();
  for (int s = 0; s < 3; ++s)
    turned.ytrace.coeff.insert(turned.ytrace.coeff.end(), {20, 40, -31.7});
  const std::vector<double> wave = make_wave_grid({1000, 1039, 2}).range(0, 20);
  const Spots all = evaluate_spots(turned, 0, 3, wave);
  ASSERT_TRUE(all.is_lit(0, 9) && all.is_lit(2, 10) && !all.is_lit(0, 11));
  const Spots lit = evaluate_spots(turned, 0, 3, {wave.begin(), wave.begin() + 11});
  for (const double pixpad_frac : {0.0, 0.8}) {
    const PixelRange range = used_pixels({&all, 0, 0, 3, 20}, 4, pixpad_frac, 1000, 1000);
    // The same core bins without the dark ones: padding below, none above.
    int ypadmin = 1000, ymin = 1000, ymax = 0, xmax = 0;
    for (int s = 0; s < 3; ++s)
      for (int w = 0; w < 11; ++w) {
        const std::size_t j = lit.index(s, w);
        ypadmin = std::min(ypadmin, lit.yc[j]);
        xmax = std::max(xmax, lit.xc[j] + lit.nx);
        if (w < 4) continue;
        ymin = std::min(ymin, lit.yc[j]);
        ymax = std::max(ymax, lit.yc[j] + lit.ny);
      }
    const RowRange rows = used_rows(ypadmin, ymax, ymin, ymax, pixpad_frac);
    EXPECT_EQ(range.y0, rows.lo);
    EXPECT_EQ(range.y1, rows.hi);
    EXPECT_EQ(range.x1, xmax);
  }
  const PixelRange none = used_pixels({&all, 0, 8, 3, 12}, 4, 0.8, 1000, 1000);
  EXPECT_EQ(none.nx(), 0) << "light in the padding alone";
  EXPECT_EQ(none.ny(), 0);
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

// A trace that turns and comes back onto the CCD covers nothing there.
TEST(Coverage, BinsWithoutLightCoverNothing) {
  Psf psf = test::make_psf({.nfiber = 1, .ny = 200});
  psf.ytrace.ncoeff = 3;
  psf.ytrace.coeff = {20, 40, -66};  // turns at 1020 Angstrom
  const WaveGrid grid = make_wave_grid({1030, 1040, 1});
  ASSERT_GT(spot_center(psf, 0, 1035).y, 20);
  EXPECT_THROW(check_coverage(psf, grid, make_patches({}, grid, 1), "psf.fits"), Error);
}

// The error names the file and a wavelength that was asked for.
TEST(Coverage, BrokenSpotsAreADataError) {
  Psf psf = test::make_psf();
  ExtractOptions o;
  o.nwavestep = 10;
  o.wavepad = 5;
  o.wavepad_frac = 0;
  const WaveGrid grid = make_wave_grid({990, 1009, 1});
  const WaveGrid stated = make_wave_grid({1980, 2018, 2});  // as after a barycentric correction
  const std::vector<Patch> all = make_patches(o, grid, psf.nfiber);
  const auto check = [&] { check_spots(psf, grid, stated, all, 0, "psf.fits"); };
  EXPECT_NO_THROW(check());
  const auto throws = [](const std::string& text) {
    return testing::ThrowsMessage<Error>(testing::StartsWith(text));
  };
  const Psf sound = psf;
  const auto set_width = [&](double value, double slope) {
    psf = sound;
    psf.param[2 * psf.ncoeff] = value;  // GHSIGX of fiber 2
    psf.param[2 * psf.ncoeff + 1] = slope;
  };
  set_width(-1, 0);
  EXPECT_THAT(check, throws("psf.fits: fiber 2 at 1970.0 Angstrom, in the padding of 1980.0 "
                            "Angstrom has widths GHSIGX -1, GHSIGY "));
  set_width(0.1, -1);  // not positive from 1005 Angstrom on
  EXPECT_THAT(check, throws("psf.fits: fiber 2 at 2010.0 Angstrom has widths GHSIGX "));
  set_width(0.3, -1);  // from 1015 Angstrom on, which no bin has
  EXPECT_NO_THROW(check());
  psf = sound;
  psf.xtrace.coeff[2] = 1e9;
  EXPECT_THAT(check, throws("psf.fits: fiber 1 at 1970.0 Angstrom, in the padding of 1980.0 "
                            "Angstrom lies at pixel (1e+09, "));
}

TEST(Coverage, FibersBesideThePatchesAreCheckedToo) {
  Psf psf = test::make_psf();
  psf.param[2 * psf.ncoeff] = -1;  // GHSIGX of fiber 2
  ExtractOptions o;
  o.bundlesize = o.nsubbundles = 1;
  o.nspec = 1;
  const WaveGrid grid = make_wave_grid({990, 1009, 1});
  const std::vector<Patch> patches = make_patches(o, grid, psf.nfiber);
  EXPECT_NO_THROW(check_spots(psf, grid, grid, patches, 1, "psf.fits"));
  EXPECT_THROW(check_spots(psf, grid, grid, patches, 2, "psf.fits"), Error);
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
