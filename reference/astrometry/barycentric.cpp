#include "reference/astrometry/barycentric.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include <erfa.h>
#include <erfaextra.h>
#include <erfam.h>

#include "reference/core/erfa.hpp"

namespace spex {
namespace {

using Vector = double[3];
using Matrix = double[3][3];

constexpr double c = ERFA_CMPS;  // m/s
constexpr double au = ERFA_DAU;  // m
// Turns of the Earth per day of UT1.
constexpr double turns_a_day = 1.00273781191135448;

// G M, m^3/s^2 (IAU 2015 nominal values; the Moon's from its mass).
constexpr double gm_earth = 3.986004e14;
constexpr double gm_moon = 6.6743e-11 * 7.34767309e22;
constexpr double gm_jupiter = 1.2668653e17;
constexpr double gm_sun = 1.3271244e20;

// One moment in the time scales of its parts, as two-part Julian dates.
struct Moment {
  double tt1 = 0, tt2 = 0;
  double ut11 = 0, ut12 = 0;
};

Moment moment_of(double mjd, double ut1_utc) {
  Moment moment;
  double tai1 = 0;
  double tai2 = 0;
  // Status 1 is a year for which leap seconds may not be known yet.
  if (eraUtctai(ERFA_DJM0, mjd, &tai1, &tai2) < 0 ||
      eraUtcut1(ERFA_DJM0, mjd, ut1_utc, &moment.ut11, &moment.ut12) < 0)
    throw std::logic_error("invalid date");
  eraTaitt(tai1, tai2, &moment.tt1, &moment.tt2);
  return moment;
}

// Velocity of the site about the Earth's center along the axes of the ICRS, m/s; `geocentric` is
// its position on the Earth, m.
void site_velocity(const Moment& moment, const EarthOrientation& orientation, Vector& geocentric,
                   Vector& velocity) {
  Matrix to_intermediate;  // from celestial
  eraC2i06a(moment.tt1, moment.tt2, to_intermediate);
  Matrix polar_motion;
  eraPom00(orientation.xp * ERFA_DAS2R, orientation.yp * ERFA_DAS2R,
           eraSp00(moment.tt1, moment.tt2), polar_motion);
  Matrix to_terrestrial;
  eraC2tcio(to_intermediate, eraEra00(moment.ut11, moment.ut12), polar_motion, to_terrestrial);
  Vector r;
  eraTrxp(to_terrestrial, geocentric, r);
  Vector omega;
  eraSxp(turns_a_day * ERFA_D2PI / ERFA_DAYSEC, to_intermediate[2], omega);
  eraPxp(omega, r, velocity);
}

double distance(Vector& a, Vector& b) {
  Vector between;
  eraPmp(a, b, between);
  return eraPm(between);
}

// g, m/s: the potential at the site / -c.
double gravitational_redshift(const Moment& moment, Vector& sun_to_earth, double from_center) {
  double moon[2][3];
  eraMoon98(moment.tt1, moment.tt2, moon);
  double jupiter[2][3];
  constexpr int number_of_jupiter = 5;
  if (eraPlan94(moment.tt1, moment.tt2, number_of_jupiter, jupiter) < 0)
    throw std::logic_error("ERFA has no Jupiter");
  return -(gm_earth / from_center + gm_moon / (eraPm(moon[0]) * au) +
           gm_jupiter / (distance(jupiter[0], sun_to_earth) * au) +
           gm_sun / (eraPm(sun_to_earth) * au)) /
         c;
}

}  // namespace

double barycentric_factor(const Pointing& pointing, const EarthOrientation& orientation,
                          const Site& site) {
  if (!(pointing.mjd >= first_mjd && pointing.mjd <= last_mjd))
    throw std::logic_error("a date that the barycentric correction is not made for");
  const Moment moment = moment_of(pointing.mjd, orientation.ut1_utc);

  // TT serves for TDB: they differ by 2 ms at most, which is 3e-14 of F.
  double heliocentric[2][3];  // of the Earth: au, au/day
  double barycentric[2][3];
  eraEpv00(moment.tt1, moment.tt2, heliocentric, barycentric);

  Vector geocentric;
  if (eraGd2gc(ERFA_WGS84, site.longitude * ERFA_DD2R, site.latitude * ERFA_DD2R, site.height,
               geocentric) != 0)
    throw std::logic_error("invalid site");
  Vector turning;
  site_velocity(moment, orientation, geocentric, turning);

  Vector beta;
  for (int i = 0; i < 3; ++i) beta[i] = (barycentric[1][i] * au / ERFA_DAYSEC + turning[i]) / c;
  Vector n;
  eraS2c(pointing.ra * ERFA_DD2R, pointing.dec * ERFA_DD2R, n);
  const double gamma = 1 / std::sqrt(1 - eraPdp(beta, beta));
  const double g = gravitational_redshift(moment, heliocentric[0], eraPm(geocentric));
  return gamma * (1 + eraPdp(beta, n)) / (1 + g / c);
}

std::string erfa_version() {
  return eraVersion();
}

}  // namespace spex
