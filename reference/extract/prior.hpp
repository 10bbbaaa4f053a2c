// The prior of a bin (extraction.md, section 4; BS 4). One source for host and device.
#pragma once

#include "reference/core/host_device.hpp"

namespace spex {

/// What the prior adds to N_jj: lambda_j^2 + 1e-15 with lambda_j = m - q_j where q_j <= m, else
/// `regularize`; m = 1e-4 max q of the patch.
[[nodiscard]] SPEX_HD inline double prior(double q, double m, double regularize) {
  const double lambda = q <= m ? m - q : regularize;
  return lambda * lambda + 1e-15;
}

/// Whether the prior pulls the flux of a bin although most of its light falls on weighted pixels
/// (section 4.1).
[[nodiscard]] SPEX_HD inline bool is_pulled(double q, double m, double pixmask_fraction) {
  constexpr double least = 1e-5;
  return pixmask_fraction <= 0.5 && prior(q, m, 0) > least * q;
}

}  // namespace spex
