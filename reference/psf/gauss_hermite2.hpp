// Spots of the kind GAUSS-HERMITE2: two Gauss-Hermite cores and a tail (extraction.md, section
// 2.2).
#pragma once

#include "reference/psf/spot_box.hpp"

namespace spex {

/// The half size of the box for spots of HSIZE, which have the pixels floor(X) - HSIZE to floor(X)
/// + HSIZE - 1.
[[nodiscard]] constexpr int box_of_gauss_hermite2(int hsize) {
  return hsize + 1;
}

/// The spots of one fiber.
class GaussHermite2 final : public SingleSpots {
 public:
  using SingleSpots::SingleSpots;

 private:
  void add_spot(double lambda, const Center& center, double* box) override;
};

}  // namespace spex
