// Faults that are planted into a frame of DESI's pipeline: each is found, and where.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "reference/tests/compare/production/pipeline_frames.hpp"
#include "reference/tests/support/change_fits.hpp"

namespace spex::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Planted : public ProductionFrames {
 protected:
  // Applies f(bin) to all bins of fibers [first, end).
  template <class F>
  static void for_bins(int first, int end, const F& f) {
    for (int s = first; s < end; ++s)
      for (int w = 0; w < nwave; ++w) f(s, w, at(s, w));
  }
};

TEST_F(Planted, NothingIsFoundInEqualFrames) {
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), IsEmpty());
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.spectra->compared, nspec * nwave);
  EXPECT_EQ(report.spectra->agreements[0].equal, nspec * nwave);
  EXPECT_EQ(report.desispec, "0.71.6");
  EXPECT_EQ(report.extractor, "gpu_specter 0.3.0");
}

TEST_F(Planted, ShiftOfAFibersWavelengths) {
  constexpr double shift = 0.1;  // bins
  for_bins(3, 4,
           [&](int s, int w, std::size_t j) { production.frame.flux[j] = light(s, w - shift); });
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), ElementsAre("FLUX flux pull (3)"));
  ASSERT_EQ(report.looks_like.size(), 1U);
  EXPECT_THAT(report.looks_like[0], HasSubstr("fiber 3: production's lines lie +0.08"));
}

// A thousandth of a bin moves no flux by more than 0.03 sigma.
TEST_F(Planted, ShiftOfAThousandthOfABin) {
  for_bins(3, 4,
           [&](int s, int w, std::size_t j) { production.frame.flux[j] = light(s, w + 1e-3); });
  EXPECT_THAT(wrong(compare()), ElementsAre("FLUX flux pull (3)"));
}

TEST_F(Planted, ScaledBundle) {
  for_bins(5, 10, [&](int, int, std::size_t j) { production.frame.flux[j] *= 1.001; });
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), ElementsAre("FLUX flux pull (5-9)"));
  EXPECT_THAT(report.looks_like, ElementsAre("fibers 5-9: production's flux is ours times 1.001"));
}

TEST_F(Planted, SwappedFibers) {
  for (int w = 0; w < nwave; ++w)
    std::swap(production.frame.flux[at(2, w)], production.frame.flux[at(7, w)]);
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), ElementsAre("FLUX flux pull (2, 7)"));
  EXPECT_THAT(report.looks_like, ElementsAre("fiber 7: production has our fiber 2",
                                             "fiber 2: production has our fiber 7"));
}

TEST_F(Planted, WrongFactorOfIvar) {
  for_bins(0, nspec, [&](int, int, std::size_t j) { production.frame.ivar[j] *= dw * dw; });
  production.scores = ours.scores = false;
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), ElementsAre("IVAR ivar, relative (0-9)"));
  EXPECT_THAT(report.looks_like, ElementsAre("fibers 0-9: production's ivar is ours times 0.64"));
}

TEST_F(Planted, TransposedResolution) {
  std::vector<double> transposed;
  const Frame& frame = ours.frame;
  const std::vector<double> R = *frame.resolution.double_values();
  for (int s = 0; s < nspec; ++s)
    for (int d = 0; d < 2 * ndiag + 1; ++d)
      for (int w = 0; w < nwave; ++w) {
        const int column = w - ndiag + d;
        transposed.push_back(s != 6 || column < 0 || column >= nwave
                                 ? R[at(s, d, w)]
                                 : R[at(s, 2 * ndiag - d, column)]);
      }
  production.frame.resolution = Reals(std::move(transposed));
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), ElementsAre("RESOLUTION resolution (6)"));
  EXPECT_THAT(report.looks_like, ElementsAre("fiber 6: production's R is ours transposed"));
}

TEST_F(Planted, BitsOfTheMask) {
  production.frame.mask[at(3, 40)] = 0;  // SOMEBADPIX is missing
  production.frame.mask[at(4, 55)] = 0;  // BAD2DFIT is missing
  production.frame.mask[at(5, 5)] = specmask::ALLBADPIX;
  production.frame.mask[at(6, 5)] = 1U << 4;
  ours.frame.mask[at(8, 8)] = specmask::NODATA;
  const PairReport report = compare();
  EXPECT_THAT(
      wrong(report),
      ElementsAre("MASK SOMEBADPIX in ours only (3)", "MASK BAD2DFIT in ours only (4)",
                  "MASK ALLBADPIX in production only (5)",
                  "MASK BADFIBERFLAT in production only (6)", "MASK NODATA in ours only (8)"));
}

TEST_F(Planted, Keywords) {
  production.set("EXPTIME", 900.0000001);
  production.set("AIRMASS", 1.2);
  ours.set("OBSTYPE", std::string("SCIENCE"));
  production.set("IN_IMG",
                 std::string("SPECPROD/preproc/20260616/00000003/preproc-z0-00000003.fits"));
  production.set("OBJECT",
                 std::string("a long text that does not fit into one card of a header, which "
                             "has eighty letters"));
  const PairReport report = compare();
  EXPECT_THAT(wrong(report),
              ElementsAre("FLUX AIRMASS in production only", "FLUX EXPTIME", "FLUX IN_IMG",
                          "FLUX OBJECT", "FLUX OBSTYPE in ours only"));
  EXPECT_EQ(report.differences[1].note, "'900.', production '900.0000001'");
}

TEST_F(Planted, FactorOfTheEarthsMotion) {
  production.set("HELIOCOR", 1.00005 + 1e-9);
  EXPECT_THAT(wrong(compare()), ElementsAre("FLUX HELIOCOR"));
}

TEST_F(Planted, Wavelengths) {
  for (double& wave : production.frame.wave) wave *= 1.00005;
  EXPECT_THAT(wrong(compare()), ElementsAre("WAVELENGTH wavelength, Angstrom"));
}

TEST_F(Planted, PatchLostFarFromTheCcdsEdge) {
  for (int w = nwavestep; w < 2 * nwavestep; ++w) {
    production.frame.flux[at(2, w)] = production.frame.ivar[at(2, w)] = 0;
    production.frame.chi2pix[at(2, w)] = 0;
  }
  std::vector<double> R = *production.frame.resolution.double_values();
  for (int d = 0; d < 2 * ndiag + 1; ++d)
    for (int w = nwavestep; w < 2 * nwavestep; ++w) R[at(2, d, w)] = 0;
  production.frame.resolution = Reals(std::move(R));
  production.scores = ours.scores = false;
  EXPECT_THAT(wrong(compare()), ElementsAre("IVAR bins of a patch that production lost (2)"));
}

TEST_F(Planted, BinsWithoutLight) {
  production.frame.flux[at(1, 3)] = production.frame.ivar[at(1, 3)] = 0;
  ours.frame.flux[at(2, 3)] = ours.frame.ivar[at(2, 3)] = 0;
  ours.frame.mask[at(2, 3)] = production.frame.mask[at(2, 3)] = specmask::ALLBADPIX;
  production.scores = ours.scores = false;
  EXPECT_THAT(wrong(compare()), ElementsAre("IVAR bins with light in ours only (1)",
                                            "IVAR bins with light in production only (2)"));
}

TEST_F(Planted, ValuesThatAreNoNumbers) {
  write_pipeline_file(our_path(), ours);
  write_pipeline_file(production_path(), production);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  set_pixels(production_path(), "FLUX", static_cast<long long>(at(1, 7)), {nan});
  set_pixels(production_path(), "IVAR", static_cast<long long>(at(2, 7)), {-1});
  const PairReport report =
      compare_pair({"r0", "00000003", our_path(), production_path()}, read_tolerance("masked"));
  EXPECT_THAT(wrong(report), ElementsAre("IVAR not finite in production, or ivar < 0 (1-2)"));
}

TEST_F(Planted, Chi2pixOfAFiber) {
  ours.set("CHI2PIXL", std::string("bright"));  // ours follow the rule of GPUs
  for_bins(4, 5, [&](int, int, std::size_t j) { production.frame.chi2pix[j] *= 1.01; });
  EXPECT_THAT(wrong(compare()), ElementsAre("CHI2PIX chi2pix, relative (4)"));
  ours.remove("CHI2PIXL");
  for_bins(4, 8, [&](int, int, std::size_t j) { production.frame.chi2pix[j] *= 1.01; });
  EXPECT_THAT(wrong(compare()), ElementsAre("CHI2PIX chi2pix, relative (4-7)"))
      << "more bins than other pixels explain";
}

TEST_F(Planted, Fibermap) {
  production.fibermap = make_pipeline_fibermap({0, 0, 0, 1 << 23, 0, 8, 0, 0, 0, 0});
  EXPECT_THAT(wrong(compare()), ElementsAre("FIBERMAP FIBERSTATUS (3, 5)"))
      << "BADAMPR without bad columns, and another bit";
}

TEST_F(Planted, Scores) {
  write_pipeline_file(our_path(), ours);
  write_pipeline_file(production_path(), production);
  fitsfile* file = nullptr;
  int status = 0;
  double value = 1;
  fits_open_file(&file, production_path().c_str(), READWRITE, &status);
  std::string scores = "SCORES";
  fits_movnam_hdu(file, BINARY_TBL, scores.data(), 0, &status);
  fits_write_col(file, TDOUBLE, 2, 5, 1, 1, &value, &status);  // of fiber 4
  fits_write_chksum(file, &status);
  fits_close_file(file, &status);
  ASSERT_EQ(status, 0);
  const PairReport report =
      compare_pair({"r0", "00000003", our_path(), production_path()}, read_tolerance("masked"));
  EXPECT_THAT(wrong(report), ElementsAre("SCORES MEDIAN_RAW_COUNT_R (4)"));
}

// Scores of other spectra: only of the fibers whose flux was changed.
TEST_F(Planted, FluxChangedAfterTheScores) {
  write_pipeline_file(our_path(), ours);
  write_pipeline_file(production_path(), production);
  const double changed = 2 * production.frame.flux[at(6, 50)];
  set_pixels(production_path(), "FLUX", static_cast<long long>(at(6, 50)), {changed});
  const PairReport report =
      compare_pair({"r0", "00000003", our_path(), production_path()}, read_tolerance("masked"));
  EXPECT_THAT(wrong(report), ElementsAre("FLUX flux pull (6)"));
}

TEST_F(Planted, OtherShapes) {
  production.frame.nwave = nwave - 1;
  for (auto* values : {&production.frame.flux, &production.frame.ivar, &production.frame.chi2pix,
                       &production.frame.pixmask_fraction})
    values->resize(static_cast<std::size_t>(nspec) * (nwave - 1));
  production.frame.wave.resize(nwave - 1);
  production.frame.mask.resize(static_cast<std::size_t>(nspec) * (nwave - 1));
  production.frame.resolution =
      Reals(std::vector<double>(static_cast<std::size_t>(nspec) * (2 * ndiag + 1) * (nwave - 1)));
  production.scores = false;
  const PairReport report = compare();
  EXPECT_THAT(wrong(report), testing::Contains("FLUX shape"));
  EXPECT_FALSE(report.spectra);
  EXPECT_FALSE(report.ok());
}

TEST_F(Planted, FramesOfTheWrongProgram) {
  production.set("SPEXPROG", std::string("spex-cpu"));
  EXPECT_THAT(compare().error, HasSubstr("is of spex-cpu (expected a frame that DESI's pipeline"));
  production = production_file();
  ours.remove("SPEXPROG");
  EXPECT_THAT(compare().error, HasSubstr("is not of this project"));
}

}  // namespace
}  // namespace spex::test
