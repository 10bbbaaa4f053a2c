// The pixel-integrated Gauss-Hermite spot of one fiber at one wavelength (extraction.md, section
// 2), compiled for host and device. `Real` is double, or Lanes for the spots of several wavelengths
// at once (reference/core/simd/lanes.hpp).
#pragma once

#include <cmath>

#include "reference/core/host_device.hpp"

namespace spex {

/// First pixel of a spot of n = 2 hsize + 1 pixels centered on `center`: floor(X - hsize + 0.5).
SPEX_HD inline int spot_corner(double center, int hsize) {
  return static_cast<int>(floor(center - hsize + 0.5));
}

/// Contribution of edge m of a spot of n pixels to the pixel integrals on both sides:
///   E[0] = erf(e_m / sqrt 2) / 2,  E[k] = He_{k-1}(e_m) phi(e_m) for 1 <= k <= degree,
///   e_m = (m - n//2 - 0.5 - dx) / sigma,  dx = ((center + 0.5) mod 1) - 0.5
/// E[k] is stored at `E[k * (n + 1)]`; center and sigma in pixels.
template <class Real>
SPEX_HD inline void edge_values(Real center, Real sigma, int n, int m, int degree, Real* E) {
  constexpr double inv_sqrt_2 = 0.70710678118654752440;
  constexpr double inv_sqrt_2pi = 0.39894228040143267794;
  const Real dx = (center + 0.5) - floor(center + 0.5) - 0.5;
  const int middle = n / 2;
  const Real e = (m - middle - 0.5 - dx) / sigma;
  E[0] = 0.5 * erf(e * inv_sqrt_2);
  const Real phi = exp(-0.5 * e * e) * inv_sqrt_2pi;
  Real previous = 0.0;  // He_{k-2}
  Real he = 1.0;        // He_{k-1}
  for (int k = 1; k <= degree; ++k) {
    E[k * (n + 1)] = he * phi;
    const Real next = e * he - (k - 1) * previous;
    previous = he;
    he = next;
  }
}

/// P_k[m] from the values of edges m (below) and m + 1 (above):
///   P_0[m] = (erf(e_{m+1} / sqrt 2) - erf(e_m / sqrt 2)) / 2
///   P_k[m] = He_{k-1}(e_m) phi(e_m) - He_{k-1}(e_{m+1}) phi(e_{m+1})
template <class Real>
SPEX_HD inline Real pixel_integral(int k, Real below, Real above) {
  return k == 0 ? above - below : below - above;
}

/// Pixel integrals P_k[m] along one axis of a spot of n pixels (odd). P is [degree + 1][n];
/// E: scratch of (degree + 1)(n + 1) doubles.
template <class Real>
SPEX_HD inline void pixel_integrals(Real center, Real sigma, int n, int degree, Real* E, Real* P) {
  for (int m = 0; m <= n; ++m) edge_values(center, sigma, n, m, degree, E + m);
  for (int k = 0; k <= degree; ++k)
    for (int m = 0; m < n; ++m)
      P[k * n + m] = pixel_integral(k, E[k * (n + 1) + m], E[k * (n + 1) + m + 1]);
}

/// max(a, 0).
SPEX_HD inline double positive_part(double a) {
  return a > 0.0 ? a : 0.0;
}

/// The pixel integrals along one axis of a spot.
template <class Real>
struct AxisIntegrals {
  const Real* P = nullptr;  ///< [degree + 1][n]
  int degree = 0;           ///< of the Gauss-Hermite functions
  int n = 0;                ///< pixels
};

/// spot[y][x] = sum_ij g[i][j] Px_i[x] Py_j[y] with negative pixels set to 0. Returns their sum.
///
/// g [degx + 1][degy + 1], spot [ny][nx]; row: scratch of nx (degy + 1) numbers.
template <class Real>
SPEX_HD inline Real spot_values(const AxisIntegrals<Real>& along_x,
                                const AxisIntegrals<Real>& along_y, const Real* g, Real* row,
                                Real* spot) {
  const auto [Px, degx, nx] = along_x;
  const auto [Py, degy, ny] = along_y;
  for (int j = 0; j <= degy; ++j)
    for (int x = 0; x < nx; ++x) {
      Real sum = 0.0;
      for (int i = 0; i <= degx; ++i) sum += g[i * (degy + 1) + j] * Px[i * nx + x];
      row[x * (degy + 1) + j] = sum;
    }
  Real total = 0.0;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      Real sum = 0.0;
      for (int j = 0; j <= degy; ++j) sum += row[x * (degy + 1) + j] * Py[j * ny + y];
      sum = positive_part(sum);
      spot[y * nx + x] = sum;
      total += sum;
    }
  return total;
}

/// The factor that normalizes a spot to sum 1; 0 for a spot without positive pixels, which becomes
/// all zeros.
SPEX_HD inline double spot_scale(double sum) {
  return sum > 0.0 ? 1.0 / sum : 0.0;
}

}  // namespace spex
