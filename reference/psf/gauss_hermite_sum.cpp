#include "reference/psf/gauss_hermite_sum.hpp"

#include "reference/core/count.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"

namespace spex {
std::vector<double> pixel_integrals(double center, double sigma, int n, int degree) {
  std::vector<double> edges(count_of(degree + 1, n + 1)), P(count_of(degree + 1, n));
  pixel_integrals(center, sigma, n, degree, edges.data(), P.data());
  return P;
}

GaussHermiteSum::GaussHermiteSum(const SpotShape& shape, int degx, int degy, int nx, int ny)
    : degx_(degx),
      degy_(degy),
      nx_(nx),
      ny_(ny),
      x_(pixel_integrals(shape.center.x, shape.sigma_x, nx, degx)),
      y_(pixel_integrals(shape.center.y, shape.sigma_y, ny, degy)) {}

double GaussHermiteSum::at(int x, int y, const std::vector<double>& g) const {
  double sum = 0;
  for (int i = 0; i <= degx_; ++i)
    for (int j = 0; j <= degy_; ++j)
      sum += g[count_of(i, degy_ + 1) + count_of(j)] * x_[count_of(i, nx_) + count_of(x)] *
             y_[count_of(j, ny_) + count_of(y)];
  return sum;
}

std::vector<double> parameters_at(const Psf& psf, const std::vector<double>& param, int first,
                                  int count, int fiber, double lambda) {
  const double u = legendre_variable(lambda, psf.wavemin, psf.wavemax);
  std::vector<double> found;
  for (int p = first; p < first + count; ++p)
    found.push_back(legendre_sum(parameter_coefficients(psf, param, p, fiber), psf.ncoeff, u));
  return found;
}

}  // namespace spex
