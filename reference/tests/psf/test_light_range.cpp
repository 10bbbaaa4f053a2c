// The wavelengths at which a fiber has light (extraction.md, section 2.1).
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/psf/spots.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

// Of one fiber, over 900 to 1100 Angstrom: u = (lambda - 1000) / 100.
LightRange range_of(const std::vector<double>& coeff, double from = 500, double to = 1500) {
  return light_range({900, 1100, static_cast<int>(coeff.size()), coeff}, 0, from, to);
}

TEST(LightRange, OfAStraightTraceIsThriceAsLong) {
  for (const double slope : {75.0, -75.0, 1e-9}) {
    const LightRange range = range_of({30, slope});
    EXPECT_EQ(range.first, 700);
    EXPECT_EQ(range.last, 1300);
    EXPECT_TRUE(range.holds(700) && range.holds(1300));
    EXPECT_FALSE(range.holds(699.9) || range.holds(1300.1));
  }
}

// Y' = c1 + 3 c2 u is 0 at u = -c1 / (3 c2).
TEST(LightRange, EndsWhereTheTraceTurns) {
  EXPECT_NEAR(range_of({0, 90, -20}).last, 1150, 1e-9) << "beyond WAVEMAX";
  EXPECT_EQ(range_of({0, 90, -20}).first, 700);
  EXPECT_NEAR(range_of({0, 90, -50}).last, 1060, 1e-9) << "within the range";
  EXPECT_NEAR(range_of({0, -90, -20}).first, 850, 1e-9) << "rows descend";
  EXPECT_EQ(range_of({0, -90, -20}).last, 1300);
  EXPECT_EQ(range_of({0, 90, -9}).last, 1300) << "farther than the range may reach";
}

// Y = u^3 - 0.64 u + ...: ascends again at u > 0.46, but that is another branch.
TEST(LightRange, DoesNotComeBackAfterASecondTurn) {
  // P_3 = (5 u^3 - 3 u) / 2, so u^3 = 0.4 P_3 + 0.6 P_1.
  const LightRange range = range_of({0, 0.6 - 0.64, 0, 0.4});
  const double turn = 100 * std::sqrt(0.64 / 3);
  EXPECT_NEAR(range.first, 1000 - turn, 1e-9);
  EXPECT_NEAR(range.last, 1000 + turn, 1e-9);
}

TEST(LightRange, OfATraceThatDoesNotMoveIsEmpty) {
  for (const std::vector<double>& coeff :
       {std::vector<double>{30}, std::vector<double>{30, 0}, std::vector<double>{0, 0, 0}}) {
    const LightRange range = range_of(coeff);
    EXPECT_FALSE(range.holds(1000));
    EXPECT_GT(range.first, range.last);
  }
}

// The wavelengths that are asked for decide only how far the ends are searched.
TEST(LightRange, DoesNotDependOnTheRequest) {
  const std::vector<double> coeff{0, 90, -20, 4, -0.5};
  const LightRange all = range_of(coeff);
  for (const auto& [from, to] : {std::pair{600.0, 1200.0}, {1000.0, 1400.0}, {1140.0, 1160.0}}) {
    const LightRange part = range_of(coeff, from, to);
    for (double lambda = from; lambda <= to; lambda += 0.37)
      ASSERT_EQ(part.holds(lambda), all.holds(lambda)) << lambda;
  }
}

class FiberLightTest : public testing::Test {
 protected:
  [[nodiscard]] Spots at(double lambda) const { return evaluate_spots(psf, 0, 1, {lambda}); }
  // Expects no light, in both ways to compute spots.
  void expect_dark(double lambda) const {
    const Spots spots = at(lambda);
    EXPECT_FALSE(spots.is_lit(0, 0));
    EXPECT_EQ(spots.yc[0], dark_corner);
    EXPECT_THAT(spots.value, testing::Each(0.0));
    EXPECT_EQ(place_spots(psf, 0, 1, {lambda}).xc, spots.xc);
  }
  Psf psf = test::make_psf({.nfiber = 1});  // 950 to 1050 Angstrom
};

TEST_F(FiberLightTest, ExtrapolatesTraces) {
  for (const double lambda : {930.0, 1070.0}) {
    EXPECT_TRUE(at(lambda).is_lit(0, 0));
    EXPECT_EQ(at(lambda).yc[0], spot_corner(spot_center(psf, 0, lambda).y, psf.hsizey));
  }
  expect_dark(849.9);
  expect_dark(1150.1);
}

TEST_F(FiberLightTest, ATurnedTraceHasNoLight) {
  psf.ytrace.ncoeff = 3;
  psf.ytrace.coeff = {20, 40, -40.0 / 3 / 0.4};  // turns at u = 0.4, 1020 Angstrom
  EXPECT_TRUE(at(1019.9).is_lit(0, 0));
  expect_dark(1020.1);
  expect_dark(1045);
}

// Only spots on the CCD need a width, and only at wavelengths at which the PSF states one.
TEST_F(FiberLightTest, WidthsThatAreNotNeeded) {
  psf.param[0] = 0.1;  // GHSIGX 0.1 - u: not positive above 1005 Angstrom
  psf.param[1] = -1;
  EXPECT_TRUE(at(1004.9).is_lit(0, 0));
  EXPECT_THROW(static_cast<void>(at(1010)), Error);
  const double off = 1029;  // rows 73 and above of 60
  ASSERT_GT(spot_center(psf, 0, off).y, 70);
  expect_dark(off);
  psf.npix_y = 1000;
  EXPECT_THROW(static_cast<void>(at(off)), Error);
  expect_dark(1050.1);  // beyond WAVEMAX
}

TEST_F(FiberLightTest, CentersFarFromTheCcd) {
  psf.xtrace.coeff = {8, 1e7};
  EXPECT_THROW(static_cast<void>(at(1020)), Error);
  expect_dark(1050.1);
}

}  // namespace
}  // namespace spex
