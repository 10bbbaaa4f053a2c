#include "bench/micro/dense_projection.hpp"

#include <algorithm>

#include "reference/core/count.hpp"

namespace spex::bench {

DenseProjection make_dense_projection(const PatchSpots& spots, const PixelRange& range) {
  DenseProjection projection{range.nx() * range.ny(), spots.n(), {}};
  projection.A.assign(count_of(projection.rows, projection.columns), 0);
  const int nx = spots.spots->nx;
  const int ny = spots.spots->ny;
  for (int j = 0; j < spots.n(); ++j) {
    const double* spot = spots.spot(j);
    double* column = projection.A.data() + static_cast<std::ptrdiff_t>(j) * projection.rows;
    const int x0 = std::max(spots.xc(j), range.x0);
    const int x1 = std::min(spots.xc(j) + nx, range.x1);
    const int y1 = std::min(spots.yc(j) + ny, range.y1);
    for (int y = std::max(spots.yc(j), range.y0); y < y1; ++y)
      for (int x = x0; x < x1; ++x)
        column[(y - range.y0) * range.nx() + x - range.x0] =
            spot[(y - spots.yc(j)) * nx + x - spots.xc(j)];
  }
  return projection;
}

}  // namespace spex::bench
