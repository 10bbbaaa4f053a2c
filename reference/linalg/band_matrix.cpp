#include "reference/linalg/band_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
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

BandMatrix BandMatrix::band_of_inverse() const {
  BandMatrix inverse(n, reach);
  const auto element = [&](int i, int k) { return inverse.at(std::min(i, k), std::abs(i - k)); };
  // Row by row from the last: (A^-1)_ij L_jj = [i = j] / L_jj - sum_k L_kj (A^-1)_ik, k > j.
  for (int j = n - 1; j >= 0; --j) {
    const int end = std::min(reach, n - 1 - j);
    for (int d = end; d >= 0; --d) {
      double sum = d == 0 ? 1 / at(j, 0) : 0;
      for (int k = 1; k <= end; ++k) sum -= at(j, k) * element(j + d, j + k);
      inverse.at(j, d) = sum / at(j, 0);
    }
  }
  return inverse;
}

}  // namespace spex
