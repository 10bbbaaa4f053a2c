// Zolotarev's rational approximation of the inverse square root, which is the best of its degree:
//
//   x^(-1/2) = sum_k weight_k / (x + shift_k) (1 + e),  |e| <= error   for least <= x <= largest
//
// All shifts and weights are positive, so that the sum over a positive definite matrix needs only
// Cholesky factorizations, and no term cancels another. With k^2 = least / largest, K' = K(1 - k^2)
// and u_i = (i + 1/2) K' / n,
//
//   shift_i = least (sn / cn)^2,  weight_i = 2 K' sqrt(least) / (pi n) dn / cn^2  at u_i | 1 - k^2
//
// (Hale, Higham and Trefethen 2008, their method 3, with real poles). One source for host and
// device.
#pragma once

#include <cmath>

#include "reference/core/host_device.hpp"

namespace spex {

/// One term of the sum.
struct ZolotarevPole {
  double shift = 0;   ///< in the unit of x
  double weight = 0;  ///< in that of its root
};

/// The arithmetic-geometric mean of 1 and b > 0.
SPEX_HD inline double agm1(double b) {
  double a = 1;
  // The difference is squared in each step; from 1e-16 apart it takes no more than these.
  for (int i = 0; i < 12 && fabs(a - b) > 4e-16 * a; ++i) {
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return a;
}

/// Relative error of the approximation with n poles on [least, least / k2], 0 < k2 < 1:
/// 4 exp(-2 pi n K(k) / K').
SPEX_HD inline double zolotarev_error(int n, double k2) {
  constexpr double two_pi = 6.28318530717958647693;
  return 4 * exp(-two_pi * n * agm1(sqrt(k2)) / agm1(sqrt(1 - k2)));
}

/// Poles i and n - 1 - i of a sum.
struct ZolotarevPair {
  ZolotarevPole lower;  ///< i
  ZolotarevPole upper;  ///< n - 1 - i
};

/// Poles i and n - 1 - i of n, 2 i < n, for the interval [least, largest], 0 < least < largest.
/// u and K' - u share sn, cn and dn, which do not cancel in the lower half.
SPEX_HD inline ZolotarevPair zolotarev_pair(int i, int n, double least, double largest) {
  constexpr double half_pi = 1.57079632679489661923;
  constexpr int max_steps = 12;
  const double k = sqrt(least / largest);
  // sn, cn, dn by descending Landen transformation (Abramowitz and Stegun 16.4), from the
  // complementary modulus, which is what is known without rounding.
  double a[max_steps + 1];
  double c[max_steps + 1];
  a[0] = 1;
  c[0] = sqrt(1 - k * k);
  double b = k;
  int steps = 0;
  while (steps < max_steps && c[steps] > 1e-16 * a[steps]) {
    a[steps + 1] = 0.5 * (a[steps] + b);
    c[steps + 1] = 0.5 * (a[steps] - b);
    b = sqrt(a[steps] * b);
    ++steps;
  }
  double phi = ldexp(half_pi * (i + 0.5) / n, steps);
  for (int step = steps; step > 0; --step) phi = 0.5 * (phi + asin(c[step] * sin(phi) / a[step]));
  const double sn = sin(phi);
  const double cn = cos(phi);
  const double dn = sqrt(cn * cn + k * k * sn * sn);
  const double scale = sqrt(least) / (n * a[steps]);
  return {{least * (sn / cn) * (sn / cn), scale * dn / (cn * cn)},
          {largest * (cn / sn) * (cn / sn), scale * dn / (k * sn * sn)}};
}

/// Pole i of n for the interval [least, largest], 0 < least < largest.
SPEX_HD inline ZolotarevPole zolotarev_pole(int i, int n, double least, double largest) {
  const bool mirrored = 2 * i + 1 > n;
  const ZolotarevPair pair = zolotarev_pair(mirrored ? n - 1 - i : i, n, least, largest);
  return mirrored ? pair.upper : pair.lower;
}

}  // namespace spex
