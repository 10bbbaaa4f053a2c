#include "reference/linalg/band_matrix.hpp"

#include <cmath>
#include <stdexcept>

#include "reference/core/all_finite.hpp"
#include "reference/core/lapack.hpp"

namespace spex {

bool BandMatrix::factor() {
  if (!all_finite(a)) return false;
  const int info = LAPACKE_dpbtrf(LAPACK_COL_MAJOR, 'L', n, reach, a.data(), reach + 1);
  if (info < 0) throw std::logic_error("dpbtrf: a wrong argument");
  return info == 0;
}

void BandMatrix::solve(double* x) const {
  // Not the routine that looks for NaN first: x may overflow, which is not for this class to judge.
  if (LAPACKE_dpbtrs_work(LAPACK_COL_MAJOR, 'L', n, reach, 1, a.data(), reach + 1, x, n) != 0)
    throw std::logic_error("dpbtrs: a wrong argument");
}

}  // namespace spex
