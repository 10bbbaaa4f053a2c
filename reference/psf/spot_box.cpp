#include "reference/psf/spot_box.hpp"

#include <algorithm>
#include <cmath>

#include "reference/core/count.hpp"
#include "reference/psf/spot.hpp"

namespace spex {

void SingleSpots::evaluate(const double* lambda, int count, SpotShape* shape, double* value) {
  const std::size_t size = count_of(psf_.nx(), psf_.ny());
  for (int k = 0; k < count; ++k, value += size) {
    shape[k] = spot_shape(psf_, fiber_, lambda[k]);
    std::fill_n(value, size, 0.0);
    const auto [x, y] = shape[k].center;
    if (!(std::abs(x) < farthest_center && std::abs(y) < farthest_center)) continue;
    add_spot(lambda[k], shape[k].center, value);
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += value[i] = positive_part(value[i]);
    const double scale = std::isfinite(sum) ? spot_scale(sum) : 0.0;
    for (std::size_t i = 0; i < size; ++i) value[i] = scale > 0 ? value[i] * scale : 0.0;
  }
}

void SingleSpots::place(const PixelBlock& block, const Center& center, double* box) const {
  const auto [pixels, nx, ny, x, y] = block;
  const int left = x - spot_corner(center.x, psf_.hsizex);
  const int below = y - spot_corner(center.y, psf_.hsizey);
  for (int row = 0; row < ny; ++row)
    std::copy_n(pixels + count_of(row, nx), nx, box + count_of(below + row, psf_.nx()) + left);
}

}  // namespace spex
