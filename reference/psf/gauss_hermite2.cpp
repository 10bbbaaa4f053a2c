#include "reference/psf/gauss_hermite2.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/core/count.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot.hpp"

namespace spex {
namespace {

// A sum over Gauss-Hermite functions, evaluated in a box of nx x ny pixels.
class Core {
 public:
  Core(const Center& center, double sigma_x, double sigma_y, int degx, int degy, int nx, int ny)
      : degx_(degx),
        degy_(degy),
        nx_(nx),
        ny_(ny),
        x_(integrals(center.x, sigma_x, nx, degx)),
        y_(integrals(center.y, sigma_y, ny, degy)) {}

  // The sum at a pixel with coefficients g [degx + 1][degy + 1].
  [[nodiscard]] double at(int x, int y, const std::vector<double>& g) const {
    double sum = 0;
    for (int i = 0; i <= degx_; ++i)
      for (int j = 0; j <= degy_; ++j)
        sum += g[count_of(i, degy_ + 1) + count_of(j)] * x_[count_of(i, nx_) + count_of(x)] *
               y_[count_of(j, ny_) + count_of(y)];
    return sum;
  }

 private:
  static std::vector<double> integrals(double center, double sigma, int n, int degree) {
    std::vector<double> edges(count_of(degree + 1, n + 1)), P(count_of(degree + 1, n));
    pixel_integrals(center, sigma, n, degree, edges.data(), P.data());
    return P;
  }

  int degx_, degy_, nx_, ny_;
  std::vector<double> x_, y_;  // [degree + 1][n]
};

double square(double a) {
  return a * a;
}

// amplitude r^2 / (core^2 + r^2)^(1 + index / 2), 0 at its center.
double tail_at(double r2, double amplitude, double core, double index) {
  if (amplitude == 0 || r2 == 0) return 0;
  return amplitude * r2 / std::pow(core * core + r2, 1 + index / 2);
}

}  // namespace

void GaussHermite2::add_spot(double lambda, const Center& center, double* box) {
  const double u = legendre_variable(lambda, psf().wavemin, psf().wavemax);
  const auto values = [&](const std::vector<double>& param, int first, int count) {
    std::vector<double> found;
    for (int p = first; p < first + count; ++p)
      found.push_back(
          legendre_sum(parameter_coefficients(psf(), param, p, fiber()), psf().ncoeff, u));
    return found;
  };
  const SecondCore& second = psf().second;
  const std::vector<double> sigma = values(psf().param, 0, 2);
  const std::vector<double> g = values(psf().param, 2, psf().nparam() - 2);
  const std::vector<double> wide = values(second.param, 0, 8);
  const std::vector<double> g2 = values(second.param, 8, second.nparam() - 8);
  // GHSIGX2, GHSIGY2, GHNSIG, TAILAMP, TAILCORE, TAILXSCA, TAILYSCA, TAILINDE
  const double cut = wide[2], amplitude = wide[3], tail_core = wide[4], xscale = wide[5],
               yscale = wide[6], index = wide[7];

  const int nx = psf().nx(), ny = psf().ny();
  const Core first(center, sigma[0], sigma[1], psf().ghdegx, psf().ghdegy, nx, ny);
  const Core other(center, wide[0], wide[1], second.ghdegx, second.ghdegy, nx, ny);
  const int left = spot_corner(center.x, psf().hsizex), below = spot_corner(center.y, psf().hsizey);
  // The spot's own pixels within the box, n = 2 HSIZE along each axis.
  const int hx = psf().hsizex - 1, hy = psf().hsizey - 1;
  const int x0 = static_cast<int>(std::floor(center.x)) - hx - left;
  const int y0 = static_cast<int>(std::floor(center.y)) - hy - below;
  for (int y = y0; y < y0 + 2 * hy; ++y)
    for (int x = x0; x < x0 + 2 * hx; ++x) {
      const double dx = left + x - center.x, dy = below + y - center.y;
      const double r2 = square(dx / sigma[0]) + square(dy / sigma[1]);
      double& pixel = box[count_of(y, nx) + count_of(x)];
      if (r2 < cut * cut) pixel += first.at(x, y, g);
      pixel += other.at(x, y, g2);
      pixel += tail_at(square(dx * xscale) + square(dy * yscale), amplitude, tail_core, index);
    }
}

}  // namespace spex
