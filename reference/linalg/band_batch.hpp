// Symmetric positive definite band matrices of one shape, side by side: factors, solutions, and
// the band of the inverse.
#pragma once

#include <cstddef>
#include <vector>

#include "reference/core/count.hpp"

namespace spex {

/// `lanes` symmetric matrices of n rows, element (i, j) of each zero where |i - j| > reach.
///
/// Stored is the lower triangle by columns, all lanes of an element together. Every operation does
/// the same to each lane, in the same order whatever the number of lanes, so that a matrix gives
/// the same bytes in any company; and the inner loops run over lanes, which a compiler can make
/// vectors of although each matrix is one long chain of dependent steps.
class BandBatch {
 public:
  /// Zeros. `reach` is cut to n - 1. Throws std::logic_error where there are no rows or lanes.
  BandBatch(int n, int reach, int lanes);

  /// Rows of each matrix.
  [[nodiscard]] int n() const { return n_; }
  /// Farthest from the diagonal that an element is stored.
  [[nodiscard]] int reach() const { return reach_; }
  /// Number of matrices.
  [[nodiscard]] int lanes() const { return lanes_; }
  /// Elements (j + d, j) of all lanes, 0 <= d <= reach. Where j + d >= n they are zeros and stay
  /// so.
  [[nodiscard]] double* at(int j, int d) { return a_.data() + offset(j, d); }
  /// @copydoc at
  [[nodiscard]] const double* at(int j, int d) const { return a_.data() + offset(j, d); }

  /// Replaces each matrix by its factors, A = L diag(d) L^T with a unit diagonal in L: at(j, 0) is
  /// then 1 / d_j and at(j, d > 0) are L's elements. False where a pivot is not positive or not
  /// finite in any lane; nothing can then be done with the batch.
  [[nodiscard]] bool factor();

  /// From the factors: x <- A^-1 x in each lane; x is [n][lanes].
  void solve(double* x) const;
  /// The same in one lane; x has n entries.
  void solve_lane(int lane, double* x) const;
  /// X <- diag(d)^(-1/2) L^-1 X with the factors of one lane; X is [n][columns]. Row i of what is
  /// given has nothing but zeros from column `first + i` on, which is made use of: pass `columns`
  /// for `first` where that is not so.
  void forward_solve_lane(int lane, int columns, int first, double* X) const;

  /// From the factors: the elements of the inverses within the same band.
  [[nodiscard]] BandBatch inverse_band() const;

 private:
  [[nodiscard]] std::size_t offset(int j, int d) const {
    return count_of(j * (reach_ + 1) + d, lanes_);
  }
  int n_;
  int reach_;
  int lanes_;
  std::vector<double> a_;
};

}  // namespace spex
