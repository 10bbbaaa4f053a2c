// One symmetric positive definite band matrix and its Cholesky factor, through LAPACKE.
#pragma once

#include <vector>

#include "reference/core/count.hpp"

namespace spex {

/// A symmetric matrix of n rows, element (i, j) zero where |i - j| > reach; its lower triangle.
struct BandMatrix {
  int n = 0;              ///< rows
  int reach = 0;          ///< farthest from the diagonal that an element is stored
  std::vector<double> a;  ///< element (j + d, j), 0 <= d <= reach, at `a[j (reach + 1) + d]`

  BandMatrix() = default;
  /// Zeros.
  BandMatrix(int rows, int reach_of_rows)
      : n(rows), reach(reach_of_rows), a(count_of(rows, reach_of_rows + 1), 0.0) {}
  /// Element (j + d, j).
  [[nodiscard]] double& at(int j, int d) { return a[count_of(j, reach + 1) + count_of(d)]; }
  /// @copydoc at
  [[nodiscard]] double at(int j, int d) const { return a[count_of(j, reach + 1) + count_of(d)]; }

  /// Replaces the matrix A by L, A = L L^T, by dpbtrf. False where A is not positive definite or
  /// holds a value that is not finite; nothing can then be done with it.
  [[nodiscard]] bool factor();

  /// From the factor: x <- A^-1 x; x has n entries.
  void solve(double* x) const;

  /// From the factor: the elements of A^-1 within the band, by Takahashi's equations.
  [[nodiscard]] BandMatrix band_of_inverse() const;
};

}  // namespace spex
