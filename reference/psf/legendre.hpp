// Legendre polynomials of a trace or PSF parameter (extraction.md, section 1).
#pragma once

#include "reference/core/host_device.hpp"

namespace spex {

// `Real` is double, or Lanes for several wavelengths at once (reference/core/simd/lanes.hpp).

/// u = 2 (lambda - wavemin) / (wavemax - wavemin) - 1; lambda, wavemin, wavemax in Angstrom.
SPEX_HD inline double legendre_variable(double lambda, double wavemin, double wavemax) {
  return 2.0 * (lambda - wavemin) / (wavemax - wavemin) - 1.0;
}

/// Calls term(d, P_d(u)) for d < n, by the three-term recurrence
/// (d + 1) P_{d+1} = (2d + 1) u P_d - d P_{d-1}.
template <class Real, class Term>
SPEX_HD inline void for_each_legendre(int n, Real u, const Term& term) {
  Real previous = 0.0;
  Real p = 1.0;
  for (int d = 0; d < n; ++d) {
    term(d, p);
    const Real next = ((2 * d + 1) * u * p - d * previous) / (d + 1);
    previous = p;
    p = next;
  }
}

/// P[d] = P_d(u) for d < n, shared by all sums at one wavelength.
template <class Real>
SPEX_HD inline void legendre_values(int n, Real u, Real* P) {
  for_each_legendre(n, u, [&](int d, Real p) { P[d] = p; });
}

/// Sum over d < n of c[d] P[d], bit-identical to legendre_sum.
template <class Real>
SPEX_HD inline Real legendre_series(const double* c, int n, const Real* P) {
  Real sum = 0.0;
  for (int d = 0; d < n; ++d) sum += c[d] * P[d];
  return sum;
}

/// Sum over d < n of c[d] P_d(u).
SPEX_HD inline double legendre_sum(const double* c, int n, double u) {
  double sum = 0.0;
  for_each_legendre(n, u, [&](int d, double p) { sum += c[d] * p; });
  return sum;
}

}  // namespace spex
