// Spots of one fiber at eight wavelengths at a time, by the kernels over lanes.
#pragma once

#include "reference/core/instructions.hpp"

namespace spex {

/// Wavelengths that a call of `spots_of_fiber` does.
inline constexpr int spot_lanes = 8;

/// The PSF's sizes and one fiber's coefficients of its parameters.
struct SpotModel {
  int nx;               ///< columns of a spot
  int ny;               ///< rows of a spot
  int degx;             ///< degree of Gauss-Hermite terms in x
  int degy;             ///< the same in y
  int ncoeff;           ///< Legendre coefficients of a parameter
  const double* param;  ///< those of parameter p at `param + p * stride`
  long stride;          ///< from a parameter to the next

  /// Numbers of scratch.
  [[nodiscard]] long room() const {
    const long terms = (degx > degy ? degx : degy) + 1;
    const long edges = (nx > ny ? nx : ny) + 1;
    const long ng = (degx + 1L) * (degy + 1);
    return spot_lanes * (ncoeff + terms * edges + (degx + 1L) * nx + 2L * (degy + 1) * (nx + ny) +
                         ng + static_cast<long>(nx) * ny);
  }
};

/// Eight wavelengths of the fiber.
struct SpotBins {
  double u[spot_lanes];        ///< Legendre variable of the parameters
  double x[spot_lanes];        ///< centre, column (pixels)
  double y[spot_lanes];        ///< row
  double sigma_x[spot_lanes];  ///< out: GHSIGX (pixels)
  double sigma_y[spot_lanes];  ///< out: GHSIGY (pixels)
};

/// The kernels of one instruction set.
struct SpotKernels {
  /// The spots of the first `count` of eight wavelengths, one after the other at `value`, as
  /// spot_values and spot_scale have them. `room`: scratch of model.room(), at a cache line.
  void (*spots_of_fiber)(const SpotModel& model, SpotBins& bins, int count, double* room,
                         double* value);
  /// exp of eight numbers, none positive, and erf of eight numbers, in place.
  void (*exp)(double* a);
  void (*erf)(double* a);  ///< @copydoc exp
};
SPEX_KERNELS(SpotKernels, spot_kernels)

}  // namespace spex
