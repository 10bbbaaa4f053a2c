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

/// erf(a), absolute error at most 6e-16, and 2e-16 for |a| > 1.5:
///   erf(x) = 1 - exp(-x^2) g / (1 + 2 x) for x >= 0,   g = (1 + 2 x) exp(x^2) erfc(x),
/// where g is a Chebyshev series in (x - 3.75) / (x + 3.75) (Shepherd and Laframboise 1981),
/// truncated at terms below 1e-16.
SPEX_LANES_INLINE Lanes erf(Lanes a) {
  constexpr double chebyshev[] = {
      1.177578934567401754080e+00,  -4.590054580646477330853e-03, -8.424913336651791558351e-02,
      5.920993999819189049808e-02,  -2.665866843530575227739e-02, 9.074997670705265093879e-03,
      -2.413163540417608190943e-03, 4.907758365258086322859e-04,  -6.916973302501206367096e-05,
      4.139027986073010167534e-06,  7.740383066198490668633e-07,  -2.188640104923439566149e-07,
      1.076499946567091037714e-08,  4.521959811218286897931e-09,  -7.754400208831351106474e-10,
      -6.318088340886684494385e-11, 2.868795010930669898142e-11,  1.945586854577734722947e-13,
      -9.654696748433438905850e-13, 3.252548148148739841689e-14,  3.347811948286805387926e-14,
      -1.864562880419313100848e-15, -1.250795053068864709746e-15};
  const Lanes x = lesser(magnitude(a), 27.0);  // for larger arguments erf is 1 to the last bit
  const Lanes y = (x - 3.75) / (x + 3.75);
  const Lanes twice = y + y;
  Lanes b = 0.0, before = 0.0;  // Clenshaw recurrence
#pragma GCC unroll 32
  for (int k = 22; k > 0; --k) {
    const Lanes next = twice * b - before + chebyshev[k];
    before = b;
    b = next;
  }
  const Lanes g = y * b - before + chebyshev[0];
  return with_sign(1.0 - exp(-(x * x)) * (g / (1.0 + (x + x))), a);
}

}  // namespace spex::SPEX_INSTRUCTION_SET
