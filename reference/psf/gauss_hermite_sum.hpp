// The parts of Gauss-Hermite spots that are made pixel by pixel.
#pragma once

#include <vector>

#include "reference/model/psf.hpp"
#include "reference/psf/fiber_light.hpp"
#include "reference/psf/spot_tail.hpp"

namespace spex {

/// Pixel integrals P_k[m] along one axis of a spot of n pixels (spot.hpp), [degree + 1][n].
[[nodiscard]] std::vector<double> pixel_integrals(double center, double sigma, int n, int degree);

/// A sum over Gauss-Hermite functions, evaluated in a box of nx x ny pixels.
class GaussHermiteSum {
 public:
  /// With these degrees of the functions.
  GaussHermiteSum(const SpotShape& shape, int degx, int degy, int nx, int ny);

  /// The sum at a pixel of the box with coefficients g [degx + 1][degy + 1].
  [[nodiscard]] double at(int x, int y, const std::vector<double>& g) const;

 private:
  int degx_, degy_, nx_, ny_;
  std::vector<double> x_, y_;  // [degree + 1][n]
};

/// Parameters [first, first + count) of `param` (Psf) of a fiber at a wavelength (Angstrom).
[[nodiscard]] std::vector<double> parameters_at(const Psf& psf, const std::vector<double>& param,
                                                int first, int count, int fiber, double lambda);

}  // namespace spex
