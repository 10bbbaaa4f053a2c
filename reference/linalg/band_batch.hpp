// Symmetric positive definite band matrices of one shape, side by side: factors, solutions, and
// the band of the inverse.
#pragma once

#include <vector>

#include "reference/core/count.hpp"
#include "reference/core/simd/aligned.hpp"
#include "reference/linalg/band_lanes.hpp"

namespace spex {

/// `lanes` symmetric matrices of n rows, element (i, j) of each zero where |i - j| > reach.
///
/// Stored is the lower triangle by columns, all lanes of an element together, filled up to whole
/// groups by unit matrices. The kernels of band_lanes.hpp take a group of lanes at a time, as each
/// matrix alone is one long chain of dependent steps. Each lane has its own sums, in one order
/// whatever the number of lanes: a matrix gives the same bytes beside any other matrices.
class BandBatch {
 public:
  /// Zeros. `reach` is cut to n - 1. Throws std::logic_error where there are no rows or lanes.
  BandBatch(int n, int reach, int lanes, Instructions instructions = instructions_in_use());

  /// A + shift_k of one band matrix A in lane k, from the n columns of reach + 1 elements
  /// (j + d, j) of A; zeros where j + d >= n. `shift` has whole groups, and reach < n.
  [[nodiscard]] static BandBatch shifted(int n, int reach, const std::vector<double>& A,
                                         const AlignedDoubles& shift);

  /// Rows of each matrix.
  [[nodiscard]] int n() const { return shape_.n; }
  /// Farthest from the diagonal that an element is stored.
  [[nodiscard]] int reach() const { return shape_.reach; }
  /// Number of matrices.
  [[nodiscard]] int lanes() const { return lanes_; }
  /// Lanes with those that fill the last group: numbers of a row of x of `solve`.
  [[nodiscard]] int width() const { return shape_.lanes; }
  /// Elements (j + d, j) of all lanes, 0 <= d <= reach. Where j + d >= n they are zeros and stay
  /// so.
  [[nodiscard]] double* at(int j, int d) { return a_.data() + offset(j, d); }
  /// @copydoc at
  [[nodiscard]] const double* at(int j, int d) const { return a_.data() + offset(j, d); }

  /// Replaces each matrix by its factors, A = L diag(d) L^T with a unit diagonal in L: at(j, 0) is
  /// then 1 / d_j and at(j, d > 0) are L's elements. False where a pivot is not positive or not
  /// finite in any lane; only `positive` may then be called.
  [[nodiscard]] bool factor();
  /// After `factor`: whether the pivots of this lane are positive and finite.
  [[nodiscard]] bool positive(int lane) const;

  /// From the factors: x <- A^-1 x in each lane of `nrhs` (1 or 2) right-hand sides; x is
  /// [n][nrhs][width].
  void solve(AlignedDoubles& x, int nrhs = 1) const;

  /// From the factors: X <- L^-1 X with Cholesky's factor of one lane, A = L L^T. X is
  /// [n][columns], whole groups of columns. Row i of what is given has nothing but zeros from
  /// column `first + i` on, which is made use of: pass `columns` for `first` where that is not so.
  /// Those from column half_solve_reads(i, first, reach()) on are not read.
  void half_solve(int lane, int columns, int first, AlignedDoubles& X) const;
  /// Columns of row i: row i + reach takes whole groups of eight of them.
  [[nodiscard]] static int half_solve_reads(int i, int first, int reach) {
    return first + i + reach + lanes_of_group - 1;
  }

  /// From the factors: the elements of the inverses within the same band.
  [[nodiscard]] BandBatch inverse_band() const;

 private:
  // Elements that are not set yet.
  BandBatch(const BandShape& shape, int lanes, const BandKernels& kernels)
      : shape_(shape), lanes_(lanes), kernels_(&kernels), a_(offset(shape.n, 0)) {}
  [[nodiscard]] std::size_t offset(int j, int d) const {
    return count_of(j * (shape_.reach + 1) + d, shape_.lanes);
  }
  BandShape shape_;
  int lanes_;
  const BandKernels* kernels_;
  AlignedDoubles a_;
};

}  // namespace spex
