// SIMD evaluation of spots: one fiber at eight wavelengths at once.
#pragma once

#include "reference/core/simd/instructions.hpp"

namespace spex {

/// Wavelengths per call of `spots_of_fiber`.
inline constexpr int spot_lanes = 8;

/// Dimensions of the PSF and the parameter coefficients of one fiber.
struct SpotModel {
  int nx;               ///< columns of a spot
  int ny;               ///< rows of a spot
  int degx;             ///< degree of Gauss-Hermite terms in x
  int degy;             ///< degree of Gauss-Hermite terms in y
  int ncoeff;           ///< Legendre coefficients of a parameter
  const double* param;  ///< coefficients of parameter p at `param + p * stride`
  long stride;          ///< distance between parameters

  /// Size of the scratch array, in doubles.
  [[nodiscard]] long room() const {
    const long terms = (degx > degy ? degx : degy) + 1;
    const long ng = (degx + 1L) * (degy + 1);
    return spot_lanes * (ncoeff + terms + (degx + 1L) * nx + 2L * (degy + 1) * (nx + ny) + ng +
                         static_cast<long>(nx) * ny);
  }
};

/// Eight wavelengths of the fiber.
struct SpotBins {
  double u[spot_lanes];        ///< Legendre variable of the parameters
  double x[spot_lanes];        ///< center, column (pixels)
  double y[spot_lanes];        ///< center, row (pixels)
  double sigma_x[spot_lanes];  ///< output: GHSIGX (pixels)
  double sigma_y[spot_lanes];  ///< output: GHSIGY (pixels)
};

/// The kernels of one instruction set.
struct SpotKernels {
  /// Computes the spots of the first `count` of eight wavelengths, stored consecutively at `value`
  /// and normalized by spot_values and spot_scale. `room`: scratch of model.room() doubles, aligned
  /// to a cache line.
  void (*spots_of_fiber)(const SpotModel& model, SpotBins& bins, int count, double* room,
                         double* value);
  /// In place: exp of eight non-positive numbers.
  void (*exp)(double* a);
  /// erf(a / sqrt 2), and exp(-a^2 / 2) in the place of a, of eight numbers.
  void (*gaussian)(double* a, double* erf);
};
SPEX_KERNELS(SpotKernels, spot_kernels)

}  // namespace spex
