#include "reference/psf/spot_lanes.hpp"

#include "reference/core/simd/lane_functions.hpp"
#include "reference/core/simd/transpose.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"

namespace spex::SPEX_INSTRUCTION_SET {
namespace {

// Pixels of a spot along an axis, and the degree of its Gauss-Hermite functions.
struct Axis {
  int n;
  int degree;
};

// P_k[m] of pixel_integrals (spot.hpp), where erf and exp of an edge share an exponential. `room`:
// degree + 1 vectors.
void integrals_of_axis(Lanes center, Lanes sigma, const Axis& axis, Lanes* room, Lanes* P) {
  constexpr double inv_sqrt_2pi = 0.39894228040143267794;
  const int n = axis.n, degree = axis.degree;
  const Lanes dx = (center + 0.5) - floor(center + 0.5) - 0.5;
  const Lanes inverse = 1.0 / sigma;
  for (int m = 0; m <= n; ++m) {
    const Lanes e = (m - n / 2 - 0.5 - dx) * inverse;
    const Gaussian of_edge = gaussian(e);
    const Lanes phi = of_edge.exp * inv_sqrt_2pi;
    const auto edge = [&](int k, Lanes value) {
      if (m > 0) P[k * n + m - 1] = pixel_integral(k, room[k], value);
      room[k] = value;
    };
    edge(0, 0.5 * of_edge.erf);
    Lanes previous = 0.0;  // He_{k-2}
    Lanes he = 1.0;        // He_{k-1}
    for (int k = 1; k <= degree; ++k) {
      edge(k, he * phi);
      const Lanes next = e * he - (k - 1) * previous;
      previous = he;
      he = next;
    }
  }
}

// spot_values (spot.hpp) of both degrees D, to the bit, with the coefficients of a row in
// registers.
template <int D>
Lanes values_of_degree(const AxisIntegrals<Lanes>& along_x, const AxisIntegrals<Lanes>& along_y,
                       const Lanes* g, Lanes* row, Lanes* spot) {
  constexpr int terms = D + 1;
  const int nx = along_x.n, ny = along_y.n;
  const Lanes *Px = along_x.P, *Py = along_y.P;
  Lanes c[terms];
  for (int j = 0; j <= D; ++j) {
#pragma GCC unroll 8
    for (int i = 0; i <= D; ++i) c[i] = g[i * terms + j];
    for (int x = 0; x < nx; ++x) {
      Lanes sum = c[0] * Px[x];
#pragma GCC unroll 8
      for (int i = 1; i <= D; ++i) sum += c[i] * Px[i * nx + x];
      row[x * terms + j] = sum;
    }
  }
  Lanes total = 0.0;
  for (int y = 0; y < ny; ++y) {
#pragma GCC unroll 8
    for (int j = 0; j <= D; ++j) c[j] = Py[j * ny + y];
    for (int x = 0; x < nx; ++x) {
      Lanes sum = row[x * terms] * c[0];
#pragma GCC unroll 8
      for (int j = 1; j <= D; ++j) sum += row[x * terms + j] * c[j];
      sum = positive_part(sum);
      spot[y * nx + x] = sum;
      total += sum;
    }
  }
  return total;
}

// The pixels of lane k times scale_k, one lane after the other at `value`.
void put_spots(const Lanes* spot, int npixel, int count, Lanes scale, double* value) {
  int p = 0;
  for (; p + Lanes::count <= npixel; p += Lanes::count) {
    Lanes pixels[Lanes::count];
#pragma GCC unroll 8
    for (int k = 0; k < Lanes::count; ++k) pixels[k] = spot[p + k] * scale;
    transpose(pixels);
#pragma GCC unroll 8
    for (int k = 0; k < Lanes::count; ++k)
      if (k < count) store(pixels[k], value + static_cast<long>(k) * npixel + p);
  }
  for (; p < npixel; ++p) {
    double pixel[Lanes::count];
    store(spot[p] * scale, pixel);
    for (int k = 0; k < count; ++k) value[static_cast<long>(k) * npixel + p] = pixel[k];
  }
}

void spots_of_fiber(const SpotModel& model, SpotBins& bins, int count, double* room,
                    double* value) {
  const int nx = model.nx, ny = model.ny, degx = model.degx, degy = model.degy;
  Lanes* next = reinterpret_cast<Lanes*>(room);
  const auto take = [&](long n) {
    next += n;
    return next - n;
  };
  Lanes* P = take(model.ncoeff);
  Lanes* g = take((degx + 1L) * (degy + 1));
  Lanes* edge = take((degx > degy ? degx : degy) + 1L);
  Lanes* Px = take((degx + 1L) * nx);
  Lanes* Py = take((degy + 1L) * ny);
  Lanes* row = take((degy + 1L) * nx);
  Lanes* spot = take(static_cast<long>(nx) * ny);

  legendre_values(model.ncoeff, load(bins.u), P);
  const auto parameter = [&](int p) {
    return legendre_series(model.param + p * model.stride, model.ncoeff, P);
  };
  const Lanes sigma_x = parameter(0), sigma_y = parameter(1);
  store(sigma_x, bins.sigma_x);
  store(sigma_y, bins.sigma_y);
  for (int k = 0; k < (degx + 1) * (degy + 1); ++k) g[k] = parameter(2 + k);
  integrals_of_axis(load(bins.x), sigma_x, {nx, degx}, edge, Px);
  integrals_of_axis(load(bins.y), sigma_y, {ny, degy}, edge, Py);
  const AxisIntegrals<Lanes> along_x{Px, degx, nx}, along_y{Py, degy, ny};
  double scale[Lanes::count];  // the sums first
  store(degx == 6 && degy == 6 ? values_of_degree<6>(along_x, along_y, g, row, spot)
                               : spot_values<Lanes>(along_x, along_y, g, row, spot),
        scale);
  for (double& a : scale) a = a > 0.0 ? 1.0 / a : 0.0;
  put_spots(spot, nx * ny, count, load(scale), value);
}

void exp_of_eight(double* a) {
  store(exp(load(a)), a);
}
void gaussian_of_eight(double* a, double* erf) {
  const Gaussian of_a = gaussian(load(a));
  store(of_a.exp, a);
  store(of_a.erf, erf);
}

}  // namespace

extern const SpotKernels spot_kernels_of_set{&spots_of_fiber, &exp_of_eight, &gaussian_of_eight};

}  // namespace spex::SPEX_INSTRUCTION_SET
