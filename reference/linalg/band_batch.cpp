#include "reference/linalg/band_batch.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace spex {

BandBatch::BandBatch(int n, int reach, int lanes, Instructions instructions)
    : shape_{n, std::min(reach, n - 1), whole_groups(lanes)},
      lanes_(lanes),
      kernels_(&band_kernels(instructions)) {
  if (n < 1 || reach < 0 || lanes < 1) throw std::logic_error("BandBatch: no rows or no lanes");
  a_.assign(offset(n, 0), 0.0);
  for (int j = 0; j < n; ++j) std::fill(at(j, 0) + lanes, at(j, 0) + width(), 1.0);
}

BandBatch BandBatch::shifted(int n, int reach, const std::vector<double>& A,
                             const AlignedDoubles& shift) {
  const int lanes = static_cast<int>(shift.size());
  BandBatch batch({n, reach, lanes}, lanes, band_kernels(instructions_in_use()));
  batch.kernels_->shift_band(batch.shape_, A.data(), shift.data(), batch.a_.data());
  return batch;
}

bool BandBatch::factor() {
  AlignedDoubles scratch(count_of(n(), reach() + 1, lanes_of_group));
  return kernels_->factor_bands(shape_, a_.data(), scratch.data());
}

bool BandBatch::positive(int lane) const {
  for (int j = 0; j < n(); ++j)
    if (const double inverse = at(j, 0)[lane]; !(inverse > 0 && std::isfinite(inverse)))
      return false;
  return true;
}

void BandBatch::solve(AlignedDoubles& x, int nrhs) const {
  kernels_->solve_bands(shape_, a_.data(), nrhs, x.data());
}

void BandBatch::half_solve(int lane, int columns, int first, AlignedDoubles& X) const {
  AlignedDoubles L(count_of(n(), reach() + 1));
  AlignedDoubles inverse(count_of(n()));
  for (int j = 0; j < n(); ++j) {
    inverse[j] = std::sqrt(at(j, 0)[lane]);
    for (int d = 1; d <= reach(); ++d)
      L[count_of(j, reach() + 1) + count_of(d)] = at(j, d)[lane] / inverse[j];
  }
  kernels_->half_solve({n(), reach(), L.data(), inverse.data()}, columns, first, X.data());
}

BandBatch BandBatch::inverse_band() const {
  BandBatch Z(shape_, lanes_, *kernels_);
  kernels_->invert_bands(shape_, a_.data(), Z.a_.data());
  return Z;
}

}  // namespace spex
