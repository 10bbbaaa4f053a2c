// Flux, errors and resolution of one spectrum from P_s, the inverse of its covariance
// (extraction.md, section 5.1).
#pragma once

#include "reference/core/simd/aligned.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex {

/// P f = y of one spectrum of m bins: P = P_b - E, where P_b is the band of P and -E the rest.
struct SpectrumEquations {
  int m = 0;                 ///< bins
  int reach = 0;             ///< of the band
  int stride = 0;            ///< of E: m in whole groups of lanes
  std::vector<double> P;     ///< [m][reach + 1], element (j + d, j) of P_b
  AlignedDoubles E;          ///< [stride][stride], zero within the band
  AlignedDoubles y;          ///< [stride]
  double least = 0;          ///< a lower bound of the eigenvalues of P_b
  double trace_inverse = 0;  ///< tr P_b^-1
  double kept_inverse = 0;   ///< the part of tr P_b^-1 of bins that become output
};

/// Adds flux, ivar and R of the spectrum; elements of R as far as ndiag from the diagonal. Adds
/// nothing where the guard is not `none`.
[[nodiscard]] FiberGuard add_spectrum(const SpectrumEquations& equations, int ndiag,
                                      Decorrelated& result);

}  // namespace spex
