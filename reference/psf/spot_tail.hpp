// The tail of a spot (extraction.md, section 2.2), compiled for host and device.
#pragma once

#include <cmath>

#include "reference/core/host_device.hpp"

namespace spex {

/// The tail of a spot: amplitude r^2 / (core^2 + r^2)^(1 + index / 2) with r^2 = (dx xscale)^2 +
/// (dy yscale)^2. Its members have the order of the rows TAIL* in Psf::tail.
struct SpotTail {
  double amplitude;  ///< TAILAMP
  double core;       ///< TAILCORE, pixels
  double xscale;     ///< TAILXSCA
  double yscale;     ///< TAILYSCA
  double index;      ///< TAILINDE

  /// At a distance from the center of the spot, pixels.
  [[nodiscard]] SPEX_HD double at(double dx, double dy) const {
    const double x = dx * xscale, y = dy * yscale;
    const double r2 = x * x + y * y;
    if (amplitude == 0 || r2 == 0) return 0;
    return amplitude * r2 / pow(core * core + r2, 1 + index / 2);
  }
};

}  // namespace spex
