#include "reference/psf/scalar_spots.hpp"

#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"

namespace spex {
namespace {

double parameter(const Psf& psf, int p, int fiber, double lambda) {
  const double* coeff = psf.param.data() + count_of(count_of(p, psf.nfiber) + fiber, psf.ncoeff);
  return legendre_sum(coeff, psf.ncoeff, legendre_variable(lambda, psf.wavemin, psf.wavemax));
}

std::vector<double> integrals(double centre, double sigma, int n, int degree) {
  std::vector<double> edges(count_of(degree + 1, n + 1)), P(count_of(degree + 1, n));
  pixel_integrals(centre, sigma, n, degree, edges.data(), P.data());
  return P;
}

}  // namespace

Spots evaluate_spots_one_by_one(const Psf& psf, int fiber, int nspec,
                                const std::vector<double>& wave) {
  Spots spots = make_spots(psf, nspec, static_cast<int>(wave.size()));
  const int ncoeff = (psf.ghdegx + 1) * (psf.ghdegy + 1);
  for (int s = 0; s < nspec; ++s)
    for (int w = 0; w < spots.nwave; ++w) {
      const double lambda = wave[w];
      const Centre centre = checked_centre(psf, fiber + s, lambda);
      const double sigma_x = parameter(psf, 0, fiber + s, lambda);
      const double sigma_y = parameter(psf, 1, fiber + s, lambda);
      require_positive_widths(sigma_x, sigma_y, fiber + s, lambda);
      std::vector<double> g;
      for (int k = 0; k < ncoeff; ++k) g.push_back(parameter(psf, 2 + k, fiber + s, lambda));
      const std::vector<double> Px = integrals(centre.x, sigma_x, spots.nx, psf.ghdegx);
      const std::vector<double> Py = integrals(centre.y, sigma_y, spots.ny, psf.ghdegy);
      std::vector<double> row(count_of(spots.nx, psf.ghdegy + 1));
      const std::size_t j = spots.index(s, w);
      double* const spot = spots.value.data() + j * count_of(spots.nx, spots.ny);
      const double scale =
          spot_scale(spot_values(Px.data(), psf.ghdegx, spots.nx, Py.data(), psf.ghdegy, spots.ny,
                                 g.data(), row.data(), spot));
      for (int k = 0; k < spots.nx * spots.ny; ++k) spot[k] *= scale;
      spots.xc[j] = spot_corner(centre.x, psf.hsizex);
      spots.yc[j] = spot_corner(centre.y, psf.hsizey);
    }
  return spots;
}

}  // namespace spex
