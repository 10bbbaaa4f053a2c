// Differences that DESI's pipeline and ours have by design: each is explained, and only where its
// explanation holds.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "reference/compare/production/pipeline_frame.hpp"
#include "reference/tests/compare/production/pipeline_frames.hpp"
#include "reference/tests/support/change_fits.hpp"

namespace spex::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Explained : public ProductionFrames {
 protected:
  void SetUp() override { ours.scores = production.scores = false; }

  // What production leaves of a dropped patch.
  void drop_in_production(int s, int step) {
    Frame& frame = production.frame;
    for (int w = step * nwavestep; w < (step + 1) * nwavestep; ++w) {
      frame.flux[at(s, w)] = frame.ivar[at(s, w)] = frame.chi2pix[at(s, w)] = 0;
      frame.mask[at(s, w)] = 0;
      for (int d = 0; d < 2 * ndiag + 1; ++d) frame.resolution.set(at(s, d, w), 0);
    }
  }
  // A bin without a usable pixel: the prior in production, 0 in ours.
  void make_dark(int s, int w) {
    const std::uint32_t bits = specmask::SOMEBADPIX | specmask::ALLBADPIX;
    ours.frame.mask[at(s, w)] = production.frame.mask[at(s, w)] = bits;
    ours.frame.flux[at(s, w)] = ours.frame.ivar[at(s, w)] = ours.frame.chi2pix[at(s, w)] = 0;
    production.frame.flux[at(s, w)] = 1e-7;
    production.frame.ivar[at(s, w)] = 1e-12;
    production.frame.chi2pix[at(s, w)] = 0;
    for (int d = 0; d < 2 * ndiag + 1; ++d) {
      ours.frame.resolution.set(at(s, d, w), 0);
      production.frame.resolution.set(at(s, d, w), d == ndiag ? 1 : 0);
    }
  }
};

TEST_F(Explained, RoundingToFloat32) {
  production.full_precision = false;
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_GT(count(report, Reason::float32, "FLUX"), 100);
  EXPECT_GT(count(report, Reason::float32, "RESOLUTION"), 100);
  // In float64 the same difference has no excuse: 1e-6 of a flux of S/N 30.
  production = production_file();
  production.scores = false;
  production.frame.flux[at(1, 1)] *= 1 + 1e-6;
  EXPECT_THAT(wrong(compare()), ElementsAre("FLUX flux pull (1)"));
}

TEST_F(Explained, PatchesDroppedAtTheEdgeOfTheCcd) {
  for (const int s : {0, 1, 2}) drop_in_production(s, 0);
  drop_in_production(5, 2);
  drop_in_production(5, 1);
  ours.frame.mask[at(0, 0)] = specmask::SOMEBADPIX;
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(count(report, Reason::ccd_edge, "IVAR"), 5 * nwavestep);
  EXPECT_EQ(report.spectra->compared, nspec * nwave - 5 * nwavestep);
  EXPECT_EQ(report.psf, "");

  // A bit that production alone has is none of its bugs.
  production.frame.mask[at(1, 1)] = specmask::SOMEBADPIX;
  EXPECT_THAT(wrong(compare()), ElementsAre("MASK SOMEBADPIX in production only (1)"));
}

TEST_F(Explained, NotAWholeFiber) {
  for (const int step : {0, 1, 2}) drop_in_production(4, step);
  EXPECT_THAT(wrong(compare()), testing::Contains("IVAR bins of a patch that production lost (4)"));
}

// On GPUs production cuts the patch at the top of the CCD, and counts no masked light there.
TEST_F(Explained, LightBeyondTheCcdIsNotMaskedInProduction) {
  for (const int w : {87, 88, 89}) ours.frame.mask[at(3, w)] = specmask::SOMEBADPIX;
  for (const int w : {88, 89}) {
    make_dark(3, w);
    production.frame.mask[at(3, w)] = 0;
  }
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(count(report, Reason::ccd_edge, "MASK"), 5);
  EXPECT_EQ(count(report, Reason::no_light, "IVAR"), 2);
  ours.frame.mask[at(3, 50)] = specmask::SOMEBADPIX;
  EXPECT_THAT(wrong(compare()), ElementsAre("MASK SOMEBADPIX in ours only (3)"));
}

TEST_F(Explained, BinsWithoutAUsablePixel) {
  make_dark(3, 50);
  make_dark(3, 51);
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(count(report, Reason::no_light), 2);
  production.frame.ivar[at(3, 50)] = 1e-8;  // more than a prior gives
  EXPECT_THAT(wrong(compare()), ElementsAre("IVAR bins with light in production only (3)"));
  production.frame.ivar[at(3, 50)] = 1e-12;
  production.frame.flux[at(3, 50)] = 1e3;  // light that the prior would hold near 0
  EXPECT_THAT(wrong(compare()), ElementsAre("IVAR bins with light in production only (3)"));
}

TEST_F(Explained, LostDigitsNearBinsWithoutLight) {
  make_dark(0, 10);
  const auto move = [&](int s, int w, double pull) {
    production.frame.flux[at(s, w)] += pull / std::sqrt(production.frame.ivar[at(s, w)]);
  };
  move(3, 40, 5e-5);
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(count(report, Reason::masked_block, "FLUX"), 1);
  move(9, 40, 5e-5);  // more than a padded patch away
  EXPECT_THAT(wrong(compare()), ElementsAre("FLUX flux pull (9)"));
}

TEST_F(Explained, BinsBeyondFloat32) {
  const double infinite = std::numeric_limits<double>::infinity();
  const auto write = [&] {
    write_pipeline_file(our_path(), ours);
    write_pipeline_file(production_path(), production);
    set_pixels(production_path(), "IVAR", static_cast<long long>(at(4, 30)), {infinite});
    return compare_pair({"r0", "00000003", our_path(), production_path()},
                        read_tolerance("masked"));
  };
  EXPECT_THAT(wrong(write()), ElementsAre("IVAR not finite in production, or ivar < 0 (4)"));
  ours.frame.flux[at(4, 30)] = ours.frame.ivar[at(4, 30)] = 0;
  ours.frame.mask[at(4, 30)] = specmask::NODATA;
  const PairReport report = write();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(count(report, Reason::overflow, "IVAR"), 1);
  EXPECT_EQ(count(report, Reason::overflow, "MASK"), 1);
}

TEST_F(Explained, AllBadPixOnlyOfAnExactOne) {
  for (Frame* frame : {&ours.frame, &production.frame})
    frame->mask[at(2, 20)] = specmask::SOMEBADPIX;
  ours.frame.mask[at(2, 20)] |= specmask::ALLBADPIX;
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(count(report, Reason::rounded_fraction), 1);
}

TEST_F(Explained, RuleOfBad2dFitOfOlderProductions) {
  production.set("DEPVER00", std::string("0.70.0"));
  for (std::uint32_t& mask : production.frame.mask) mask &= ~specmask::BAD2DFIT;
  flag_bad_2d_fits(production.frame, Bad2dFit::chi2);
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(count(report, Reason::bad2dfit_rule), 1) << "chi2pix 30 is bad by the new rule only";
  // A bit that is missing by either rule.
  production.frame.mask[at(4, 55)] = 0;
  EXPECT_THAT(wrong(compare()), ElementsAre("MASK BAD2DFIT in ours only (4, 7)"));
}

// Dropped patches change the medians of production's CHI2PIX.
TEST_F(Explained, Bad2dFitByOtherMedians) {
  for (int s = 0; s < 6; ++s) drop_in_production(s, 0);
  for (std::uint32_t& mask : production.frame.mask) mask &= ~specmask::BAD2DFIT;
  flag_bad_2d_fits(production.frame, Bad2dFit::relative);
  ours.frame.chi2pix[at(8, 4)] = production.frame.chi2pix[at(8, 4)] = 5.5;
  for (Frame* frame : {&ours.frame, &production.frame}) {
    for (std::uint32_t& mask : frame->mask) mask &= ~specmask::BAD2DFIT;
    if (frame == &ours.frame) frame->chi2pix[at(0, 4)] = frame->chi2pix[at(1, 4)] = 5;
    flag_bad_2d_fits(*frame, Bad2dFit::relative);
  }
  EXPECT_THAT(wrong(compare()), IsEmpty());
}

TEST_F(Explained, BadColumns) {
  for (int w = 0; w < nwave; ++w) {
    production.frame.mask[at(3, w)] |= specmask::BADCOLUMN;
    if (w % 4 == 0) production.frame.mask[at(5, w)] |= specmask::BADCOLUMN;
  }
  production.fibermap = make_pipeline_fibermap({0, 0, 0, 1 << 23, 0, 0, 0, 0, 0, 0});
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(count(report, Reason::bad_columns, "FIBERMAP"), 1);
  production.fibermap = make_pipeline_fibermap({0, 0, 0, 1 << 23, 0, 1 << 23, 0, 0, 0, 0});
  EXPECT_THAT(wrong(compare()), ElementsAre("FIBERMAP FIBERSTATUS (5)"))
      << "a quarter of the bins is less than the threshold";
}

TEST_F(Explained, PsferrOfAnOlderProduction) {
  production.set("DEPVER00", std::string("0.56.5"));
  ours.set("PSFERR", 0.04);
  for (double& chi2 : production.frame.chi2pix) chi2 *= 1.2;
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(count(report, Reason::psf_error), nspec * nwave);
  // A smaller psferr makes no chi2pix smaller.
  for (double& chi2 : production.frame.chi2pix) chi2 /= 1.44;
  EXPECT_THAT(wrong(compare()), ElementsAre("CHI2PIX chi2pix, relative (0-9)"));
}

TEST_F(Explained, PixelsThatGpusLeaveOut) {
  for (int w = 0; w < 20; ++w) production.frame.chi2pix[at(5, w)] *= 1.5;
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(count(report, Reason::chi2_pixels), 20);
}

TEST_F(Explained, TablesOfTheEarthsOrientation) {
  constexpr double apart = 1e-10;
  production.set("HELIOCOR", 1.00005 + apart);
  const double bins = apart * first_wave / dw;
  for (int s = 0; s < nspec; ++s)
    for (int w = 0; w < nwave; ++w) production.frame.flux[at(s, w)] = light(s, w - bins);
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_GT(count(report, Reason::earth_orientation, "FLUX"), 10);
  for (int w = 0; w < nwave; ++w) production.frame.flux[at(2, w)] = light(2, w - 20 * bins);
  EXPECT_THAT(wrong(compare()), ElementsAre("FLUX flux pull (2)"));
}

TEST_F(Explained, SeamsOfPatches) {
  ours.set("FLUXSOLV", std::string("frame"));
  const auto move = [&](int w, double part) {
    production.frame.flux[at(2, w)] = ours.frame.flux[at(2, w)] * (1 + part);
  };
  move(nwavestep - 1, 5e-3);
  move(nwavestep, -5e-3);
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(count(report, Reason::seams, "FLUX"), 2);
  move(nwavestep + 14, 5e-3);  // the middle of a patch
  EXPECT_THAT(wrong(compare()), ElementsAre("FLUX flux pull (2)"));
  move(nwavestep + 14, 0);
  move(nwave - 1, 5e-3);
  EXPECT_THAT(wrong(compare()), IsEmpty()) << "an end of the grid";
}

TEST_F(Explained, FramesOfSpecter) {
  production.set("SPECTER", std::string("0.10.1"), "https://github.com/desihub/specter");
  production.frame.flux[at(2, 20)] *= 1.01;
  production.frame.ivar[at(2, 20)] *= 1.0005;
  production.frame.resolution.set(at(2, ndiag, 20), 1e-4 + ours.frame.resolution[at(2, ndiag, 20)]);
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_EQ(report.extractor, "specter 0.10.1");
  EXPECT_EQ(count(report, Reason::other_extractor), 3);
  production.frame.flux[at(2, 20)] *= 1.1;
  production.frame.ivar[at(2, 20)] *= 1.01;
  EXPECT_THAT(wrong(compare()), ElementsAre("FLUX flux pull (2)", "IVAR ivar, relative (2)"));
}

TEST_F(Explained, ScoresFollowTheirSpectra) {
  ours.scores = production.scores = true;
  drop_in_production(0, 0);
  EXPECT_THAT(wrong(compare()), IsEmpty());
  EXPECT_EQ(count(compare(), Reason::follows, "SCORES"), 3);
}

TEST_F(Explained, KeywordsOfPrograms) {
  ours.set("NPATCH", 30LL);
  ours.set("BAD2DFIT", std::string("chi2"));
  production.set("ORIG_PSF", std::string("SPECPROD/calibnight/20260616/psfnight-r0.fits"));
  ours.set("ORIG_PSF", std::string("'/mine/psfnight-r0.fits'"));
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_GT(count(report, Reason::made_by, "FLUX"), 5);
}

TEST(Versions, AreComparedByNumbers) {
  EXPECT_TRUE(before("0.9.1", "0.55"));
  EXPECT_TRUE(before("0.70.0.dev9012", "0.71"));
  EXPECT_FALSE(before("0.71.0", "0.71"));
  EXPECT_FALSE(before("1.0", "0.71"));
  EXPECT_EQ(psferr_of_version("0.51.13", "b0"), 0.1);
  EXPECT_EQ(psferr_of_version("0.56.5", "b0"), 0.01);
  EXPECT_EQ(psferr_of_version("0.61.0", "b0"), 0.04);
  EXPECT_EQ(psferr_of_version("0.71.6", "z9"), 0.01);
  EXPECT_EQ(psferr_of_version("", "z9"), std::nullopt);
}

}  // namespace
}  // namespace spex::test
