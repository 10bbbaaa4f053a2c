// exp and erf of eight numbers by fixed-length series, so that results are bit-identical on every
// processor; math libraries do not guarantee that. Include only in kernel sources, as lanes.hpp.
#pragma once

#include "reference/core/simd/lanes.hpp"

namespace spex::SPEX_INSTRUCTION_SET {

/// exp(a) for a <= 0, and exp(-708) = 3e-308 below -708. Relative error at most 4e-16.
SPEX_LANES_INLINE Lanes exp(Lanes a) {
  constexpr double log2_e = 1.44269504088896340736;
  constexpr double ln2_high = 6.93147180369123816490e-01;  // its last 21 bits are 0
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double whole = 0x1.8p52;
  // a = n ln 2 + b, |b| <= ln 2 / 2; then the Taylor series of exp(b), truncated at 4e-18.
  const Lanes x = -lesser(-a, 708.0);
  const Lanes scale = x * log2_e + whole;
  const Lanes n = scale - whole;
  const Lanes b = (x - n * ln2_high) - n * ln2_low;
  constexpr double inverse_factorial[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
      1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5};
  Lanes sum = inverse_factorial[0];
#pragma GCC unroll 16
  for (int k = 1; k < 12; ++k) sum = sum * b + inverse_factorial[k];
  return times_power_of_two(sum * b * b + b + 1.0, scale);
}

/// Of one e: the integral and the value of a Gaussian, up to factors.
struct Gaussian {
  Lanes erf;  ///< erf(e / sqrt 2), absolute error at most 6e-16, and 2e-16 for |e| > 2.2
  Lanes exp;  ///< exp(-e^2 / 2), relative error at most 4e-16 + 1.2e-16 e^2; 3e-308 for |e| > 37.6
};

/// Both take the same exp:
///   erf(x) = 1 - exp(-x^2) g / (1 + 2 x) for x = |e| / sqrt 2,   g = (1 + 2 x) exp(x^2) erfc(x),
/// where g is a Chebyshev series in (x - 3.75) / (x + 3.75) (Shepherd and Laframboise 1981),
/// truncated at terms below 1e-16, here as a polynomial in u, greater by 1. Near x = 0, where the
/// error of g counts, u is small. Far away coefficients cancel, but exp(-x^2) is smaller than what
/// is lost.
SPEX_LANES_INLINE Gaussian gaussian(Lanes e) {
  constexpr double inv_sqrt_2 = 0.70710678118654752440;
  constexpr double coefficient[] = {
      1.00000000000000000e+00,  1.63428906169590382e+00,  -3.60114648779169588e+00,
      4.21517748511818979e+00,  -3.18739387199971658e+00, 1.60084723137487228e+00,
      -4.91412666333771897e-01, 5.46885429258578554e-02,  1.91964989476683077e-02,
      -6.48146671238037948e-03, -7.89982938747847197e-04, 5.45199360313816119e-04,
      -4.08495091560378265e-06, 5.06712751592884036e-05,  -1.04196099023375169e-04,
      8.53567054428215090e-05,  -5.46266706771465928e-05, 2.85557253814324176e-05,
      -1.11172357422698371e-05, 3.00821226722719455e-06,  -5.32900676846295107e-07,
      5.57532257500379061e-08,  -2.62310734713347593e-09};
  const Lanes x = lesser(magnitude(e) * inv_sqrt_2, 27.0);  // beyond, erf is 1 to the last bit
  const Lanes twice = x + x;
  const Lanes u = twice / (x + 3.75);
  const Lanes square = u * u;
  // Even and odd powers apart: two chains of dependent steps, half as long.
  Lanes even = coefficient[22], odd = coefficient[21];
#pragma GCC unroll 16
  for (int k = 20; k > 0; k -= 2) {
    even = even * square + coefficient[k];
    odd = odd * square + coefficient[k - 1];
  }
  const Lanes g = (even * square + coefficient[0]) + odd * u;
  const Lanes gauss = exp(-0.5 * e * e);
  return {with_sign(1.0 - gauss * (g / (1.0 + twice)), e), gauss};
}

}  // namespace spex::SPEX_INSTRUCTION_SET
