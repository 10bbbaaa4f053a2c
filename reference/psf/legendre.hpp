// Legendre polynomials of a trace or PSF parameter (extraction.md, section 1).
#pragma once

#include "reference/core/host_device.hpp"

namespace spex {

/// u = 2 (lambda - wavemin) / (wavemax - wavemin) - 1; lambda, wavemin, wavemax in Angstrom.
SPEX_HD inline double legendre_variable(double lambda, double wavemin, double wavemax) {
  return 2.0 * (lambda - wavemin) / (wavemax - wavemin) - 1.0;
}

/// Calls term(d, P_d(u)) for d < n, by the three-term recurrence
/// (d + 1) P_{d+1} = (2d + 1) u P_d - d P_{d-1}.
template <class Term>
SPEX_HD inline void for_each_legendre(int n, double u, const Term& term) {
  double previous = 0.0;
  double p = 1.0;
  for (int d = 0; d < n; ++d) {
    term(d, p);
    const double next = ((2 * d + 1) * u * p - d * previous) / (d + 1);
    previous = p;
    p = next;
  }
}

/// P[d] = P_d(u) for d < n: what all sums of one wavelength share.
SPEX_HD inline void legendre_values(int n, double u, double* P) {
  for_each_legendre(n, u, [&](int d, double p) { P[d] = p; });
}

/// Sum over d < n of c[d] P[d], as legendre_sum sums it, to the bit.
SPEX_HD inline double legendre_series(const double* c, int n, const double* P) {
  double sum = 0.0;
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
