#include "reference/psf/scalar_spots.hpp"

#include <algorithm>

#include "reference/psf/gauss_hermite_sum.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"

namespace spex {
namespace {

double parameter(const Psf& psf, int p, int fiber, double lambda) {
  const double* coeff = psf.param.data() + count_of(count_of(p, psf.nfiber) + fiber, psf.ncoeff);
  return legendre_sum(coeff, psf.ncoeff, legendre_variable(lambda, psf.wavemin, psf.wavemax));
}

}  // namespace

Spots evaluate_spots_one_by_one(const Psf& psf, int fiber, int nspec,
                                const std::vector<double>& wave) {
  if (psf.kind != PsfKind::gauss_hermite) return evaluate_spots(psf, fiber, nspec, wave);
  Spots spots = make_spots(psf, nspec, static_cast<int>(wave.size()));
  const int ncoeff = (psf.ghdegx + 1) * (psf.ghdegy + 1);
  for (int s = 0; s < nspec; ++s) {
    const FiberLight light = light_of(psf, fiber + s, wave);
    for (int w = 0; w < spots.nwave; ++w) {
      const double lambda = wave[w];
      const SpotShape shape = spot_shape(psf, fiber + s, lambda);
      double* const spot = spots.value.data() + spots.index(s, w) * count_of(spots.nx, spots.ny);
      if (!place_spot(psf, light, {fiber + s, lambda, shape}, s, w, spots)) {
        std::fill_n(spot, spots.nx * spots.ny, 0.0);
        continue;
      }
      std::vector<double> g;
      for (int k = 0; k < ncoeff; ++k) g.push_back(parameter(psf, 2 + k, fiber + s, lambda));
      const std::vector<double> Px =
          pixel_integrals(shape.center.x, shape.sigma_x, spots.nx, psf.ghdegx);
      const std::vector<double> Py =
          pixel_integrals(shape.center.y, shape.sigma_y, spots.ny, psf.ghdegy);
      std::vector<double> row(count_of(spots.nx, psf.ghdegy + 1));
      const double scale =
          spot_scale(spot_values({Px.data(), psf.ghdegx, spots.nx},
                                 {Py.data(), psf.ghdegy, spots.ny}, g.data(), row.data(), spot));
      for (int k = 0; k < spots.nx * spots.ny; ++k) spot[k] *= scale;
    }
  }
  return spots;
}

}  // namespace spex
