// The pixel-integrated Gauss-Hermite spot of one fiber at one wavelength (extraction.md, section
// 2). One source for host and device.
#pragma once

#include <cmath>

#include "reference/core/host_device.hpp"

namespace spex {

/// First pixel of a spot of n = 2 hsize + 1 pixels centred on `centre`: floor(X - hsize + 0.5).
SPEX_HD inline int spot_corner(double centre, int hsize) {
  return static_cast<int>(floor(centre - hsize + 0.5));
}

/// What edge m of a spot of n pixels contributes to the pixel integrals on its two sides:
///   E[0] = erf(e_m / sqrt 2) / 2,  E[k] = He_{k-1}(e_m) phi(e_m) for 1 <= k <= degree,
///   e_m = (m - n//2 - 0.5 - dx) / sigma,  dx = ((centre + 0.5) mod 1) - 0.5
/// E[k] is stored at `E[k * stride]`; centre and sigma in pixels.
SPEX_HD inline void edge_values(double centre, double sigma, int n, int m, int degree, double* E,
                                int stride) {
  constexpr double inv_sqrt_2 = 0.70710678118654752440;
  constexpr double inv_sqrt_2pi = 0.39894228040143267794;
  const double dx = (centre + 0.5) - floor(centre + 0.5) - 0.5;
  const int middle = n / 2;
  const double e = (m - middle - 0.5 - dx) / sigma;
  E[0] = 0.5 * erf(e * inv_sqrt_2);
  const double phi = exp(-0.5 * e * e) * inv_sqrt_2pi;
  double previous = 0.0;  // He_{k-2}
  double he = 1.0;        // He_{k-1}
  for (int k = 1; k <= degree; ++k) {
    E[k * stride] = he * phi;
    const double next = e * he - (k - 1) * previous;
    previous = he;
    he = next;
  }
}

/// P_k[m] from the values of edges m (below) and m + 1 (above):
///   P_0[m] = (erf(e_{m+1} / sqrt 2) - erf(e_m / sqrt 2)) / 2
///   P_k[m] = He_{k-1}(e_m) phi(e_m) - He_{k-1}(e_{m+1}) phi(e_{m+1})
SPEX_HD inline double pixel_integral(int k, double below, double above) {
  return k == 0 ? above - below : below - above;
}

/// Pixel integrals P_k[m] along one axis of a spot of n pixels (odd). P is [degree + 1][n];
/// E: scratch of (degree + 1)(n + 1) doubles.
SPEX_HD inline void pixel_integrals(double centre, double sigma, int n, int degree, double* E,
                                    double* P) {
  for (int m = 0; m <= n; ++m) edge_values(centre, sigma, n, m, degree, E + m, n + 1);
  for (int k = 0; k <= degree; ++k)
    for (int m = 0; m < n; ++m)
      P[k * n + m] = pixel_integral(k, E[k * (n + 1) + m], E[k * (n + 1) + m + 1]);
}

/// spot[y][x] = sum_ij g[i][j] Px_i[x] Py_j[y], negative pixels set to 0, divided by the sum.
///
/// Px [degx + 1][nx], Py [degy + 1][ny], g [degx + 1][degy + 1], spot [ny][nx];
/// row: scratch of nx (degy + 1) doubles. A spot without a positive pixel becomes all zeros.
SPEX_HD inline void spot_values(const double* Px, int degx, int nx, const double* Py, int degy,
                                int ny, const double* g, double* row, double* spot) {
  for (int j = 0; j <= degy; ++j) {
    for (int x = 0; x < nx; ++x) row[j * nx + x] = 0.0;
    for (int i = 0; i <= degx; ++i) {
      const double gij = g[i * (degy + 1) + j];
      for (int x = 0; x < nx; ++x) row[j * nx + x] += gij * Px[i * nx + x];
    }
  }
  double sum = 0.0;
  for (int y = 0; y < ny; ++y) {
    double* out = spot + y * nx;
    for (int x = 0; x < nx; ++x) out[x] = 0.0;
    for (int j = 0; j <= degy; ++j) {
      const double py = Py[j * ny + y];
      for (int x = 0; x < nx; ++x) out[x] += row[j * nx + x] * py;
    }
    for (int x = 0; x < nx; ++x) {
      if (!(out[x] > 0.0)) out[x] = 0.0;
      sum += out[x];
    }
  }
  const double scale = sum > 0.0 ? 1.0 / sum : 0.0;
  for (int p = 0; p < nx * ny; ++p) spot[p] *= scale;
}

}  // namespace spex
