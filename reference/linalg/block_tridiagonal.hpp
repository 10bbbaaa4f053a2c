// Cholesky factorization of a symmetric positive definite block-tridiagonal matrix, and blocks of
// its inverse, through LAPACKE and CBLAS.
#pragma once

#include <functional>
#include <vector>

#include "reference/core/count.hpp"

namespace spex {

/// A symmetric matrix of n rows whose elements (i, j) are zero where i / size and j / size (whole
/// numbers) differ by more than one. The last block may have fewer than `size` rows.
///
/// Block column b holds its diagonal block and the one below it, stacked: `panel(b)` is
/// column-major, 2 size x size, row i of the matrix in row i - b size. Only the lower triangle of a
/// diagonal block is used.
class BlockTridiagonal {
 public:
  /// Zeros: n rows, blocks of `size` rows.
  BlockTridiagonal(int n, int size);

  [[nodiscard]] int n() const { return n_; }        ///< rows of the matrix
  [[nodiscard]] int size() const { return size_; }  ///< rows of a block
  /// Number of blocks on the diagonal.
  [[nodiscard]] int nblocks() const { return (n_ + size_ - 1) / size_; }
  /// Rows of block b.
  [[nodiscard]] int rows(int b) const { return b + 1 < nblocks() ? size_ : n_ - b * size_; }
  /// The panel of block column b, as above.
  [[nodiscard]] double* panel(int b) { return panels_.data() + offset(b); }
  /// The panel of block column b, as above.
  [[nodiscard]] const double* panel(int b) const { return panels_.data() + offset(b); }
  /// Element (i, j), i >= j, within the stored blocks.
  [[nodiscard]] double& at(int i, int j) {
    return panel(j /
                 size_)[static_cast<std::ptrdiff_t>(j % size_) * 2 * size_ + i - j / size_ * size_];
  }

  /// Replaces the matrix A by its factor L, A = L L^T, of the same structure. False where A is not
  /// positive definite or not finite.
  [[nodiscard]] bool factor();

  /// Largest column sum of magnitudes of the matrix, before it is factored.
  [[nodiscard]] double norm1() const;

  /// Estimate, from below, of the 1-norm of A^-1 from its factor (Higham's, by dlacn2).
  [[nodiscard]] double inverse_norm1_estimate() const;

  /// Solves L L^T x = y in place; x and y have n entries.
  void solve(std::vector<double>& y) const;

  /// Calls `block(b, X, ncolumns)` for b = 0, 1, ...: X = rows of block b of L^-1 E, column-major
  /// with leading dimension `size`. Column c of E is the unit vector of row `unit_row[c]`, which
  /// ascends with c; only the first `ncolumns` columns can be other than zero, and are given.
  void forward_solve_units(const std::vector<int>& unit_row,
                           const std::function<void(int, const double*, int)>& block) const;

 private:
  [[nodiscard]] std::size_t offset(int b) const {
    return static_cast<std::size_t>(b) * 2 * count_of(size_, size_);
  }
  int n_;
  int size_;
  std::vector<double> panels_;
};

}  // namespace spex
