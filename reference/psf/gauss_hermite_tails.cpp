#include "reference/psf/gauss_hermite_tails.hpp"

#include "reference/core/all_finite.hpp"
#include "reference/core/count.hpp"
#include "reference/core/error.hpp"
#include "reference/psf/gauss_hermite_sum.hpp"
#include "reference/psf/spot.hpp"

namespace spex {

void use_tails(Psf& psf, const std::string& file) {
  if (psf.kind != PsfKind::gauss_hermite || psf.fit.tails.empty()) return;
  if (psf.tail.empty())
    throw data_error(file, "PSF: has TAILAMP, but not all rows of a tail",
                     "TAILCORE, TAILXSCA, TAILYSCA and TAILINDE, too");
  if (!all_finite(psf.tail))
    throw data_error(file, "PSF: a row TAIL* has a coefficient that is not finite",
                     "finite numbers");
  psf.kind = PsfKind::gauss_hermite_tails;
  psf.fit.tails.clear();
}

void GaussHermiteTails::add_spot(double lambda, const Center& center, double* box) {
  const auto values = [&](const std::vector<double>& param, int first, int count) {
    return parameters_at(psf(), param, first, count, fiber(), lambda);
  };
  const std::vector<double> sigma = values(psf().param, 0, 2);
  const std::vector<double> g = values(psf().param, 2, psf().nparam() - 2);
  const std::vector<double> tail = values(psf().tail, 0, 5);
  const SpotTail tail_of_spot{tail[0], tail[1], tail[2], tail[3], tail[4]};
  const int nx = psf().nx(), ny = psf().ny();
  const GaussHermiteSum core({center, sigma[0], sigma[1]}, psf().ghdegx, psf().ghdegy, nx, ny);
  const int left = spot_corner(center.x, psf().hsizex), below = spot_corner(center.y, psf().hsizey);
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      box[count_of(y, nx) + count_of(x)] =
          core.at(x, y, g) + tail_of_spot.at(left + x - center.x, below + y - center.y);
}

}  // namespace spex
