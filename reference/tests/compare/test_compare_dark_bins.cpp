// Comparisons of frames with dark bins, and with bins that no weighted pixel constrains.
#include <cstdint>
#include <string>

#include <gmock/gmock.h>

#include "reference/model/mask_bits.hpp"
#include "reference/tests/compare/comparisons.hpp"

namespace spex::test {
namespace {

// A frame larger than the reach of a dark bin; all bins are equal except one dark bin.
constexpr int large_nspec = 20, large_nwave = 200, dark_fiber = 3, dark_bin = 50;

Frame frame_with_dark_bin() {
  Frame frame;
  frame.nspec = large_nspec;
  frame.nwave = large_nwave;
  frame.ndiag = 0;
  frame.dw = 0.8;
  for (int w = 0; w < large_nwave; ++w) frame.wave.push_back(6000 + 0.8 * w);
  for (const auto& [values, value] : {std::pair{&frame.flux, 1000.0},
                                      {&frame.ivar, 1e-2},
                                      {&frame.chi2pix, 1.0},
                                      {&frame.pixmask_fraction, 0.0}})
    values->assign(frame.nbins(), value);
  frame.resolution = Reals(std::vector<double>(frame.nbins(), 1.0));
  frame.mask.assign(frame.nbins(), 0U);
  frame.ivar[dark_fiber * large_nwave + dark_bin] = 1e-9;
  return frame;
}

// The result of tolerance `masked` if one bin has a flux pull of 1e-5.
std::string found_by_masked(int fiber, int wave_bin) {
  const Frame frame = frame_with_dark_bin();
  const FrameFile dark = store(frame);
  FrameFile result = dark;
  values(result, "FLUX")[fiber * large_nwave + wave_bin] += 1e-4;
  return first_bad(compare_frames(result, dark, read_tolerance("masked")));
}

TEST(CompareDarkBins, MaskedIsWiderOnlyNearADarkBin) {
  EXPECT_EQ(found_by_masked(dark_fiber, dark_bin + 1), "ok");
  EXPECT_EQ(found_by_masked(dark_fiber + 7, dark_bin + 74), "ok");
  EXPECT_THAT(found_by_masked(dark_fiber + 8, dark_bin), testing::StartsWith("FLUX: fiber 11"));
  EXPECT_THAT(found_by_masked(dark_fiber, dark_bin + 75), testing::HasSubstr("(bin 125)"));
}

// The result of a tolerance if the chi2pix of a bin with this mask is `value` instead of 1.
std::string found_in_chi2pix(const std::string& tolerance, std::uint32_t mask, double value) {
  Frame frame = frame_with_dark_bin();
  frame.mask[dark_fiber * large_nwave + dark_bin] = mask;
  const FrameFile dark = store(frame);
  FrameFile result = dark;
  values(result, "CHI2PIX")[dark_fiber * large_nwave + dark_bin] = value;
  return first_bad(compare_frames(result, dark, read_tolerance(tolerance)));
}

TEST(CompareDarkBins, OnlyMaskedIgnoresChi2pixOfBinsWithoutGoodLight) {
  using namespace specmask;
  const auto bad = testing::StartsWith("CHI2PIX: fiber 3");
  EXPECT_EQ(found_in_chi2pix("masked", SOMEBADPIX | ALLBADPIX, 1.1), "ok");
  EXPECT_THAT(found_in_chi2pix("masked", SOMEBADPIX | ALLBADPIX, -1.0), bad);
  EXPECT_THAT(found_in_chi2pix("masked", SOMEBADPIX, 1.1), bad);
  EXPECT_THAT(found_in_chi2pix("production", SOMEBADPIX | ALLBADPIX, 1.1), bad);
}

TEST(CompareDarkBins, MaskedLimitsBinsNearDarkBins) {
  const FrameFile dark = store(frame_with_dark_bin());
  FrameFile result = dark;
  values(result, "FLUX")[0] += 0.01;  // a pull of 1e-3
  const Comparison comparison = compare_frames(result, dark, read_tolerance("masked"));
  EXPECT_THAT(first_failure(comparison)->what, testing::HasSubstr("near dark bins"));
}

// A frame with one bin that no weighted pixel constrains, as both extractors write it.
constexpr int blind_fiber = 2, blind_bin = 9;

FrameFile frame_with_blind_bin() {
  Frame frame = make_frame();
  const std::size_t j = at(blind_fiber, blind_bin);
  frame.flux[j] = frame.ivar[j] = frame.chi2pix[j] = 0;
  frame.pixmask_fraction[j] = 1;
  frame.mask[j] = specmask::SOMEBADPIX | specmask::ALLBADPIX;
  FrameFile file = store(frame, false);
  for (int d = 0; d <= 2 * ndiag; ++d)
    values(file, "RESOLUTION")[at(blind_fiber, d, blind_bin)] = 0;
  return file;
}

// The result of a tolerance if that bin has these values in the result.
struct BlindValues {
  double flux = 0, ivar = 0, chi2pix = 0, resolution = 0;
};
std::string found_in_blind_bin(const BlindValues& bin, const Tolerance& limits) {
  const FrameFile expected = frame_with_blind_bin();
  FrameFile result = expected;
  values(result, "FLUX")[at(blind_fiber, blind_bin)] = bin.flux;
  values(result, "IVAR")[at(blind_fiber, blind_bin)] = bin.ivar;
  values(result, "CHI2PIX")[at(blind_fiber, blind_bin)] = bin.chi2pix;
  values(result, "RESOLUTION")[at(blind_fiber, ndiag, blind_bin)] = bin.resolution;
  return first_bad(compare_frames(result, expected, limits));
}

TEST(CompareDarkBins, UnconstrainedBinMustHaveTheExpectedValues) {
  for (const char* name : {"production", "masked", "unpadded"}) {
    const Tolerance limits = read_tolerance(name);
    const auto in = [](const char* hdu) { return bin(hdu, blind_fiber, blind_bin); };
    EXPECT_EQ(found_in_blind_bin({}, limits), "ok") << name;
    EXPECT_EQ(found_in_blind_bin({.flux = 5000}, limits), in("FLUX")) << name;
    EXPECT_EQ(found_in_blind_bin({.flux = -3e38}, limits), in("FLUX")) << name;
    EXPECT_EQ(found_in_blind_bin({.flux = 1e-30}, limits), in("FLUX")) << name;
    EXPECT_EQ(found_in_blind_bin({.ivar = 4}, limits), in("IVAR")) << name;
    EXPECT_EQ(found_in_blind_bin({.ivar = 1e-8}, limits), in("IVAR")) << name;
    EXPECT_EQ(found_in_blind_bin({.chi2pix = 1e6}, limits), in("CHI2PIX")) << name;
    EXPECT_EQ(found_in_blind_bin({.resolution = 0.3}, limits), in("RESOLUTION")) << name;
  }
  // Production has other rules.
  EXPECT_EQ(found_in_blind_bin({5000, 4, 1e6, 0.3}, golden()), "ok");
}

// The largest ivar is 1.5e-3.
TEST(CompareDarkBins, BinWithLightAtRoundingLevelMayBeSolved) {
  const auto in = [](const char* hdu) { return bin(hdu, blind_fiber, blind_bin); };
  const Tolerance limits = read_tolerance("masked");
  EXPECT_EQ(found_in_blind_bin({1e-3, 1e-9, 0.7, 1}, limits), "ok");
  EXPECT_EQ(found_in_blind_bin({1e-3, 1e-9, 0.7, 1}, read_tolerance("production")), "ok");
  EXPECT_EQ(found_in_blind_bin({10, 1e-9, 0.7, 1}, limits), in("FLUX"));
  EXPECT_EQ(found_in_blind_bin({1e-3, 1e-9, -1, 1}, limits), in("CHI2PIX"));
  EXPECT_EQ(found_in_blind_bin({1e-3, 1e-9, 0.7, 1.1}, limits), in("RESOLUTION"));
  // Not allowed in a bin that has light.
  FrameFile expected = frame_with_blind_bin();
  values(expected, "MASK")[at(blind_fiber, blind_bin)] = 0;
  FrameFile result = expected;
  values(result, "IVAR")[at(blind_fiber, blind_bin)] = 1e-9;
  EXPECT_EQ(first_bad(compare_frames(result, expected, limits)), in("IVAR"));
}

TEST(CompareDarkBins, EqualFramesPassWithAnyValuesWithoutIvar) {
  FrameFile odd = frame_with_blind_bin();
  values(odd, "FLUX")[at(blind_fiber, blind_bin)] = 5000;
  values(odd, "CHI2PIX")[at(blind_fiber, blind_bin)] = 7;
  EXPECT_EQ(first_bad(compare_frames(odd, odd, read_tolerance("production"))), "ok");
}

}  // namespace
}  // namespace spex::test
