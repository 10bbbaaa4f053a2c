#include "reference/psf/gauss_hermite2.hpp"

#include <cmath>
#include <vector>

#include "reference/core/count.hpp"
#include "reference/psf/gauss_hermite_sum.hpp"
#include "reference/psf/spot.hpp"

namespace spex {

void GaussHermite2::add_spot(double lambda, const Center& center, double* box) {
  const auto values = [&](const std::vector<double>& param, int first, int count) {
    return parameters_at(psf(), param, first, count, fiber(), lambda);
  };
  const SecondCore& second = psf().second;
  const std::vector<double> sigma = values(psf().param, 0, 2);
  const std::vector<double> g = values(psf().param, 2, psf().nparam() - 2);
  const std::vector<double> wide = values(second.param, 0, 8);
  const std::vector<double> g2 = values(second.param, 8, second.nparam() - 8);
  // GHSIGX2, GHSIGY2, GHNSIG, TAILAMP, TAILCORE, TAILXSCA, TAILYSCA, TAILINDE
  const double cut = wide[2];
  const SpotTail tail{wide[3], wide[4], wide[5], wide[6], wide[7]};

  const int nx = psf().nx(), ny = psf().ny();
  const GaussHermiteSum first({center, sigma[0], sigma[1]}, psf().ghdegx, psf().ghdegy, nx, ny);
  const GaussHermiteSum other({center, wide[0], wide[1]}, second.ghdegx, second.ghdegy, nx, ny);
  const int left = spot_corner(center.x, psf().hsizex), below = spot_corner(center.y, psf().hsizey);
  // The spot's own pixels within the box, n = 2 HSIZE along each axis.
  const int hx = psf().hsizex - 1, hy = psf().hsizey - 1;
  const int x0 = static_cast<int>(std::floor(center.x)) - hx - left;
  const int y0 = static_cast<int>(std::floor(center.y)) - hy - below;
  for (int y = y0; y < y0 + 2 * hy; ++y)
    for (int x = x0; x < x0 + 2 * hx; ++x) {
      const double dx = left + x - center.x, dy = below + y - center.y;
      const double u = dx / sigma[0], v = dy / sigma[1];
      double& pixel = box[count_of(y, nx) + count_of(x)];
      if (u * u + v * v < cut * cut) pixel += first.at(x, y, g);
      pixel += other.at(x, y, g2);
      pixel += tail.at(dx, dy);
    }
}

}  // namespace spex
