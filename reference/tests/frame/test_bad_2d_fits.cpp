#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "reference/core/median.hpp"
#include "reference/frame/bad_2d_fits.hpp"
#include "reference/model/mask_bits.hpp"

namespace spex {
namespace {

TEST(Bad2dFit, NeedsBothMedians) {
  Frame f;
  f.nspec = 3;
  f.nwave = 3;
  // Fiber 2 is bad everywhere (not above its own median), wavelength 2 is bad for all fibers (not
  // above the median of that wavelength); only (0, 1) is above both.
  f.chi2pix = {1, 9, 9,  //
               1, 1, 9,  //
               9, 9, 9};
  f.mask.assign(9, 0);
  flag_bad_2d_fits(f, Bad2dFit::relative);
  EXPECT_EQ(f.mask, std::vector<std::uint32_t>(9, 0)) << "median over fibers at (0, 1) is 9";
  f.chi2pix = {1, 9, 9,  //
               1, 1, 9,  //
               9, 1, 9};
  flag_bad_2d_fits(f, Bad2dFit::relative);
  // (0, 1): medians 1 over fibers, 9 over wavelengths: not flagged.
  EXPECT_EQ(f.mask, std::vector<std::uint32_t>(9, 0));
  f.chi2pix = {1, 9, 1,  //
               1, 1, 9,  //
               9, 1, 9};
  flag_bad_2d_fits(f, Bad2dFit::relative);
  EXPECT_EQ(f.mask, (std::vector<std::uint32_t>{0, specmask::BAD2DFIT, 0, 0, 0, 0, 0, 0, 0}));
}

// Compares with the definition; some fibers have bins on both sides of the threshold, some do not.
TEST(Bad2dFit, FlagsBinsAboveFiveTimesBothMedians) {
  Frame f;
  f.nspec = 40;
  f.nwave = 60;
  std::mt19937 random(7);
  std::exponential_distribution<double> wide(1);
  std::uniform_real_distribution<double> narrow(0.8, 1.2);
  for (int s = 0; s < f.nspec; ++s)
    for (int w = 0; w < f.nwave; ++w)
      f.chi2pix.push_back(s % 2 == 0 ? wide(random) : narrow(random));
  f.chi2pix[f.bin(1, 5)] = 50;
  f.mask.assign(f.nbins(), 0);
  std::vector<std::uint32_t> expected(f.nbins(), 0);
  std::size_t flagged = 0;
  for (int s = 0; s < f.nspec; ++s)
    for (int w = 0; w < f.nwave; ++w) {
      std::vector<double> of_fiber, at_wavelength;
      for (int i = 0; i < f.nwave; ++i) of_fiber.push_back(f.chi2pix[f.bin(s, i)]);
      for (int i = 0; i < f.nspec; ++i) at_wavelength.push_back(f.chi2pix[f.bin(i, w)]);
      const double limit = 5 * std::max(median(of_fiber), median(at_wavelength));
      if (f.chi2pix[f.bin(s, w)] <= limit) continue;
      expected[f.bin(s, w)] = specmask::BAD2DFIT;
      ++flagged;
    }
  ASSERT_GT(flagged, 10U);
  flag_bad_2d_fits(f, Bad2dFit::relative);
  EXPECT_EQ(f.mask, expected);
}

// One fiber next to two quiet fibers: its own median decides.
TEST(Bad2dFit, AtTheThreshold) {
  const auto flags_last = [](const std::vector<double>& fiber) {
    Frame f;
    f.nspec = 3;
    f.nwave = static_cast<int>(fiber.size());
    f.chi2pix = fiber;
    f.chi2pix.resize(3 * fiber.size(), 0.1);
    f.mask.assign(f.nbins(), 0);
    flag_bad_2d_fits(f, Bad2dFit::relative);
    return f.mask[fiber.size() - 1] == specmask::BAD2DFIT;
  };
  EXPECT_FALSE(flags_last({1, 1, 1, 1, 5})) << "five times the median, not more";
  EXPECT_TRUE(flags_last({1, 1, 1, 1, 5.1}));
  EXPECT_TRUE(flags_last({0, 0, 2, 2, 0, 9})) << "half are above 9 / 5, and the median is 1";
  EXPECT_FALSE(flags_last({0, 0, 2, 2, 2, 9})) << "the median is 2";
  EXPECT_TRUE(flags_last({0, 0, 0, 1}));
  EXPECT_FALSE(flags_last({0, 0, 0}));
}

// The rule before desispec 0.71: chi2pix > 100, whatever the medians are.
TEST(Bad2dFit, AboveAHundred) {
  Frame f;
  f.nspec = 1;
  f.nwave = 5;
  const double above = std::nextafter(100.0, 101.0);
  f.chi2pix = {99, 100, above, 1e6, 1};
  f.mask = {specmask::SOMEBADPIX, 0, 0, specmask::SOMEBADPIX, 0};
  flag_bad_2d_fits(f, Bad2dFit::chi2);
  EXPECT_EQ(f.mask, (std::vector<std::uint32_t>{specmask::SOMEBADPIX, 0, specmask::BAD2DFIT,
                                                specmask::SOMEBADPIX | specmask::BAD2DFIT, 0}));
  f.mask.assign(5, 0);
  flag_bad_2d_fits(f, Bad2dFit::relative);
  EXPECT_EQ(f.mask, std::vector<std::uint32_t>(5, 0))
      << "of one fiber, each bin is its own median over fibers";
}

}  // namespace
}  // namespace spex
