#include "reference/linalg/band_batch.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace spex {
namespace {

// y_k -= a_k x_k over lanes k.
void subtract_product(int lanes, const double* a, const double* x, double* y) {
  for (int k = 0; k < lanes; ++k) y[k] -= a[k] * x[k];
}

}  // namespace

BandBatch::BandBatch(int n, int reach, int lanes)
    : n_(n), reach_(std::min(reach, n - 1)), lanes_(lanes) {
  if (n < 1 || reach < 0 || lanes < 1) throw std::logic_error("BandBatch: no rows or no lanes");
  a_.assign(offset(n, 0), 0.0);
}

// Column after column: with A_ij what is left of the matrix, l_i = A_ij / A_jj and
// A_pi -= l_i A_pj for p >= i > j.
bool BandBatch::factor() {
  std::vector<double> l(lanes_);
  for (int j = 0; j < n_; ++j) {
    double* pivot = at(j, 0);
    for (int k = 0; k < lanes_; ++k) {
      if (!(pivot[k] > 0) || !std::isfinite(pivot[k])) return false;
      pivot[k] = 1 / pivot[k];
    }
    const int last = std::min(reach_, n_ - 1 - j);
    for (int d = 1; d <= last; ++d) {
      const double* column = at(j, d);
      for (int k = 0; k < lanes_; ++k) l[k] = column[k] * pivot[k];
      for (int e = d; e <= last; ++e)
        subtract_product(lanes_, l.data(), at(j, e), at(j + d, e - d));
    }
    for (int d = 1; d <= last; ++d)
      for (int k = 0; k < lanes_; ++k) at(j, d)[k] *= pivot[k];
  }
  return true;
}

void BandBatch::solve(double* x) const {
  const auto row = [&](int i) { return x + static_cast<std::ptrdiff_t>(i) * lanes_; };
  for (int j = 0; j < n_; ++j)
    for (int d = 1; d <= std::min(reach_, n_ - 1 - j); ++d)
      subtract_product(lanes_, at(j, d), row(j), row(j + d));
  for (int j = n_ - 1; j >= 0; --j) {
    for (int k = 0; k < lanes_; ++k) row(j)[k] *= at(j, 0)[k];
    for (int d = 1; d <= std::min(reach_, n_ - 1 - j); ++d)
      subtract_product(lanes_, at(j, d), row(j + d), row(j));
  }
}

void BandBatch::solve_lane(int lane, double* x) const {
  for (int j = 0; j < n_; ++j)
    for (int d = 1; d <= std::min(reach_, n_ - 1 - j); ++d) x[j + d] -= at(j, d)[lane] * x[j];
  for (int j = n_ - 1; j >= 0; --j) {
    double sum = x[j] * at(j, 0)[lane];
    for (int d = 1; d <= std::min(reach_, n_ - 1 - j); ++d) sum -= at(j, d)[lane] * x[j + d];
    x[j] = sum;
  }
}

void BandBatch::forward_solve_lane(int lane, int columns, int first, double* X) const {
  for (int j = 0; j < n_; ++j) {
    double* row = X + static_cast<std::ptrdiff_t>(j) * columns;
    const int count = std::min(columns, first + j);
    for (int d = 1; d <= std::min(reach_, n_ - 1 - j); ++d) {
      const double l = at(j, d)[lane];
      double* below = row + static_cast<std::ptrdiff_t>(d) * columns;
      for (int c = 0; c < count; ++c) below[c] -= l * row[c];
    }
    const double scale = std::sqrt(at(j, 0)[lane]);
    for (int c = 0; c < count; ++c) row[c] *= scale;
  }
}

// With Z = A^-1, Z L = L^-T diag(d)^-1 is upper triangular with diagonal 1 / d_j, so that from the
// last column back (Takahashi's equations)
//   Z_ij = -sum_p Z_ip l_pj for i > j,   Z_jj = 1 / d_j - sum_p Z_jp l_pj,   j < p <= j + reach.
BandBatch BandBatch::inverse_band() const {
  BandBatch Z(n_, reach_, lanes_);
  for (int j = n_ - 1; j >= 0; --j) {
    const int last = std::min(reach_, n_ - 1 - j);
    for (int d = 1; d <= last; ++d)
      for (int e = 1; e <= last; ++e)
        subtract_product(lanes_, at(j, e), Z.at(j + std::min(d, e), std::abs(d - e)), Z.at(j, d));
    std::copy_n(at(j, 0), lanes_, Z.at(j, 0));
    for (int e = 1; e <= last; ++e) subtract_product(lanes_, at(j, e), Z.at(j, e), Z.at(j, 0));
  }
  return Z;
}

}  // namespace spex
