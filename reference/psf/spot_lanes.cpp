#include "reference/psf/spot_lanes.hpp"

#include "reference/core/simd/lane_functions.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"

namespace spex::SPEX_INSTRUCTION_SET {
namespace {

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
  Lanes* E = take(((degx > degy ? degx : degy) + 1L) * ((nx > ny ? nx : ny) + 1L));
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
  pixel_integrals(load(bins.x), sigma_x, nx, degx, E, Px);
  pixel_integrals(load(bins.y), sigma_y, ny, degy, E, Py);
  double sum[Lanes::count];
  store(spot_values<Lanes>({Px, degx, nx}, {Py, degy, ny}, g, row, spot), sum);

  const double* pixels = reinterpret_cast<const double*>(spot);
  const int npixel = nx * ny;
  for (int lane = 0; lane < count; ++lane) {
    const double scale = sum[lane] > 0.0 ? 1.0 / sum[lane] : 0.0;
    for (int p = 0; p < npixel; ++p) value[p] = pixels[p * Lanes::count + lane] * scale;
    value += npixel;
  }
}

void exp_of_eight(double* a) {
  store(exp(load(a)), a);
}
void erf_of_eight(double* a) {
  store(erf(load(a)), a);
}

}  // namespace

extern const SpotKernels spot_kernels_of_set{&spots_of_fiber, &exp_of_eight, &erf_of_eight};

}  // namespace spex::SPEX_INSTRUCTION_SET
