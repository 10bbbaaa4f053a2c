// Compares the barycentric factor with values of astropy 8.0.2 and its bundled table.
// test_by_astropy.py covers the whole sky if astropy is available.

#include <cmath>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "reference/astrometry/barycentric.hpp"

namespace spex {
namespace {

struct Known {
  Pointing pointing;
  EarthOrientation orientation;
  double factor;
};

constexpr Known known[] = {
    {{0.0, 90.0, 58849.3}, {-0.17726539, 0.0760147, 0.2824287}, 0.9999929589599997},
    {{201.25, 31.5, 58998.123456789},
     {-0.25356615185, 0.11105690123, 0.44332813580},
     0.999931406837954},
    {{97.125, -12.75, 59305.4}, {-0.17432742, 0.0818646, 0.4120578}, 0.9999185491100459},
    {{333.5, 4.25, 59580.999}, {-0.1103892306, 0.053382193, 0.277885097}, 0.999918687045539},
    {{270.0, 66.5, 60310.25}, {0.008686825, 0.13639975, 0.2022775}, 0.9999999363269186},
    {{12.5, -30.0, 60900.5}, {0.0721132, 0.2188385, 0.4126625}, 1.000049570492804},
    {{180.0, 0.0, 61200.75}, {0.0140298, 0.1877195, 0.40601175}, 0.99990529007796},
};

TEST(BarycentricFactor, AgreesWithAstropy) {
  for (const Known& one : known)
    EXPECT_NEAR(barycentric_factor(one.pointing, one.orientation) / one.factor, 1, 1e-12)
        << "MJD " << one.pointing.mjd;
}

TEST(BarycentricFactor, NeedsTheEarthsOrientationForTheLastDigits) {
  for (const Known& one : known)
    EXPECT_NEAR(barycentric_factor(one.pointing) / one.factor, 1, 1e-10)
        << "MJD " << one.pointing.mjd;
  EXPECT_GT(std::abs(barycentric_factor(known[0].pointing) / known[1].factor - 1), 1e-6);
  EXPECT_GT(std::abs(barycentric_factor(known[1].pointing) / known[1].factor - 1), 1e-12);
}

// Dominated by the Earth's orbit, 1e-4, and rotation, 1e-6.
TEST(BarycentricFactor, ChangesAsTheEarthMoves) {
  const Pointing ahead{0, 0, 60400.0};
  Pointing opposite = ahead;
  opposite.ra = 180;
  EXPECT_NEAR(barycentric_factor(ahead) + barycentric_factor(opposite), 2, 1e-7);
  Pointing half_a_day_later = ahead;
  half_a_day_later.mjd += 0.5;
  const double orbit_alone = barycentric_factor(ahead, {}, {90, 0, 0});
  EXPECT_LT(std::abs(barycentric_factor(ahead) - orbit_alone), 1.6e-6);
  Pointing full_turn = ahead;
  full_turn.ra += 360;
  EXPECT_NEAR(barycentric_factor(full_turn), barycentric_factor(ahead), 1e-15);
}

TEST(BarycentricFactor, DatesBeyondTheEphemeris) {
  for (const double mjd : {0.0, 41316.9, 88069.1, std::nan("")})
    EXPECT_THROW(static_cast<void>(barycentric_factor({0, 0, mjd})), std::logic_error) << mjd;
  EXPECT_NO_THROW(static_cast<void>(barycentric_factor({0, 0, first_mjd})));
  EXPECT_NO_THROW(static_cast<void>(barycentric_factor({0, 0, last_mjd})));
}

}  // namespace
}  // namespace spex
