// A symmetric matrix of spectra by spectra whose blocks are bands: N of a patch.
#pragma once

#include <vector>

#include "reference/core/count.hpp"

namespace spex {

/// `nspec` x `nspec` blocks of m x m. Element (w, v) of a block is zero where |w - v| > reach, and
/// so are blocks (t, s) where |t - s| > apart. Stored are blocks (t, s) with t >= s.
class BlockBands {
 public:
  BlockBands() = default;
  /// Zeros. reach is cut to m - 1, and apart to nspec - 1.
  BlockBands(int nspec, int m, int reach, int apart);
  /// From the lower triangle of the n x n matrix N, column-major; m divides n. reach and apart are
  /// the least that hold all elements other than zero, reach no less than `min_reach`.
  BlockBands(const std::vector<double>& N, int n, int m, int min_reach = 1);

  [[nodiscard]] int nspec() const { return nspec_; }   ///< blocks on the diagonal
  [[nodiscard]] int m() const { return m_; }           ///< rows of a block
  [[nodiscard]] int reach() const { return reach_; }   ///< of the band of each block
  [[nodiscard]] int apart() const { return apart_; }   ///< of the farthest spectra with a block
  [[nodiscard]] int n() const { return nspec_ * m_; }  ///< rows of the matrix

  /// Elements (v - reach ... v + reach, v) of block (t, s), s <= t <= s + apart; those of rows that
  /// the block does not have are zeros. Seven more numbers follow, which are not of the matrix:
  /// kernels over lanes add zeros there.
  [[nodiscard]] double* column(int t, int s, int v) { return a_.data() + offset(t, s, v); }
  /// @copydoc column
  [[nodiscard]] const double* column(int t, int s, int v) const {
    return a_.data() + offset(t, s, v);
  }
  /// Numbers from a column of a block to the next.
  [[nodiscard]] int stride() const { return stride_; }
  /// Sets the upper triangle of the blocks on the diagonal to the lower.
  void mirror_diagonal_blocks();
  /// Element (w, v) of any block (t, s).
  [[nodiscard]] double at(int t, int w, int s, int v) const;
  /// The lower triangle of the matrix, n x n, column-major.
  [[nodiscard]] std::vector<double> dense() const;

 private:
  [[nodiscard]] std::size_t offset(int t, int s, int v) const {
    return (count_of(s, apart_ + 1) + count_of(t - s)) * count_of(m_, stride_) +
           count_of(v, stride_);
  }
  int nspec_ = 0, m_ = 0, reach_ = 0, apart_ = 0, stride_ = 0;
  std::vector<double> a_;
};

}  // namespace spex
