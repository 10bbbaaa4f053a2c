#include "reference/linalg/block_tridiagonal.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "reference/core/all_finite.hpp"
#include "reference/core/count.hpp"
#include "reference/core/lapack.hpp"

namespace spex {

BlockTridiagonal::BlockTridiagonal(int n, int size) : n_(n), size_(size) {
  if (n < 1 || size < 1) throw std::logic_error("BlockTridiagonal: no rows");
  panels_.assign(offset(nblocks()), 0.0);
}

// L_bb = chol(A_bb - L_{b,b-1} L_{b,b-1}^T),  L_{b+1,b} = A_{b+1,b} L_bb^-T
bool BlockTridiagonal::factor() {
  if (!all_finite(panels_)) return false;
  const int ld = 2 * size_;
  for (int b = 0; b < nblocks(); ++b) {
    double* L = panel(b);
    if (b > 0)
      cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, rows(b), size_, -1.0,
                  panel(b - 1) + size_, ld, 1.0, L, ld);
    const int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', rows(b), L, ld);
    if (info != 0) return false;
    if (b + 1 < nblocks())
      cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows(b + 1),
                  size_, 1.0, L, ld, L + size_, ld);
  }
  return true;
}

double BlockTridiagonal::norm1() const {
  std::vector<double> sums(n_, 0.0);
  for (int b = 0; b < nblocks(); ++b)
    for (int column = 0; column < rows(b); ++column)
      for (int row = column; row < 2 * size_ && b * size_ + row < n_; ++row) {
        const double a = std::abs(panel(b)[static_cast<std::ptrdiff_t>(column) * 2 * size_ + row]);
        sums[b * size_ + row] += a;
        if (row != column) sums[b * size_ + column] += a;
      }
  return *std::max_element(sums.begin(), sums.end());
}

double BlockTridiagonal::inverse_norm1_estimate() const {
  const std::size_t n = n_;
  std::vector<double> v(n), x(n);
  std::vector<int> sign(n), state(3, 0);
  double estimate = 0;
  int ask = 0;
  // dlacn2 asks for A^-1 x (or its transpose, the same) until it is content.
  do {
    LAPACKE_dlacn2(n_, v.data(), x.data(), sign.data(), &estimate, &ask, state.data());
    if (ask != 0) solve(x);
  } while (ask != 0);
  return estimate;
}

void BlockTridiagonal::solve(std::vector<double>& y) const {
  const int ld = 2 * size_;
  const auto part = [&](int b) { return y.data() + static_cast<std::ptrdiff_t>(b) * size_; };
  for (int b = 0; b < nblocks(); ++b) {
    if (b > 0)
      cblas_dgemv(CblasColMajor, CblasNoTrans, rows(b), size_, -1.0, panel(b - 1) + size_, ld,
                  part(b - 1), 1, 1.0, part(b), 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, rows(b), panel(b), ld,
                part(b), 1);
  }
  for (int b = nblocks() - 1; b >= 0; --b) {
    if (b + 1 < nblocks())
      cblas_dgemv(CblasColMajor, CblasTrans, rows(b + 1), size_, -1.0, panel(b) + size_, ld,
                  part(b + 1), 1, 1.0, part(b), 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, rows(b), panel(b), ld, part(b),
                1);
  }
}

// X_b = L_bb^-1 (E_b - L_{b,b-1} X_{b-1})
void BlockTridiagonal::forward_solve_units(
    const std::vector<int>& unit_row,
    const std::function<void(int, const double*, int)>& block) const {
  const int ld = 2 * size_;
  std::vector<double> previous;
  std::vector<double> X;
  int ncolumns_before = 0;
  for (int b = 0; b < nblocks(); ++b) {
    const auto end =
        std::lower_bound(unit_row.begin(), unit_row.end(), static_cast<int>(b * size_ + rows(b)));
    const int ncolumns = static_cast<int>(end - unit_row.begin());
    std::swap(previous, X);
    X.assign(count_of(size_, ncolumns), 0.0);
    for (int c = ncolumns_before; c < ncolumns; ++c) X[c * size_ + unit_row[c] - b * size_] = 1;
    if (ncolumns_before > 0)
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows(b), ncolumns_before, size_, -1.0,
                  panel(b - 1) + size_, ld, previous.data(), size_, 0.0, X.data(), size_);
    if (ncolumns > 0)
      cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rows(b),
                  ncolumns, 1.0, panel(b), ld, X.data(), size_);
    block(b, X.data(), ncolumns);
    ncolumns_before = ncolumns;
  }
}

}  // namespace spex
