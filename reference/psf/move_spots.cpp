#include "reference/psf/move_spots.hpp"

#include "reference/core/count.hpp"

namespace spex {

void move_spots(Psf& psf, double dx, double dy) {
  for (int s = 0; s < psf.nfiber; ++s) {
    psf.xtrace.coeff[count_of(s, psf.xtrace.ncoeff)] += dx;
    psf.ytrace.coeff[count_of(s, psf.ytrace.ncoeff)] += dy;
  }
  for (PcaFiber& place : psf.images.pca) {
    place.x0 += dx;
    place.y0 += dy;
  }
}

}  // namespace spex
