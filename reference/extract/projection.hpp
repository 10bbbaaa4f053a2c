// The projection matrix A: A_ij is the value of bin j's spot at pixel i (extraction.md, section 4).
//
// Three forms of the same matrix. As an operator on vectors it is never formed: its columns are the
// spots themselves. Sparse (baseline) and dense (cpu-refactor) forms exist to make N = A^T W A.
#pragma once

#include <array>
#include <vector>

#include "reference/layout/patches.hpp"
#include "reference/model/preproc.hpp"

namespace spex {

/// Values and weights of the used pixels of one patch, rows first: [ny][nx] of the range.
struct PatchPixels {
  PixelRange range;       ///< used pixels
  std::vector<double> p;  ///< p_i, electron
  std::vector<double> W;  ///< W_i, electron^-2
};
/// The pixels of `range`, which lies within the CCD.
[[nodiscard]] PatchPixels cut_pixels(const Pixels& pixels, const PixelRange& range);

/// (A^T v)_j = sum_i A_ij v_i for all n bins; v over the pixels of `range`.
[[nodiscard]] std::vector<double> apply_transpose(const PatchSpots& spots, const PixelRange& range,
                                                  const std::vector<double>& v);
/// A^T v and A^T w, n bins each; v and w over the pixels of `range`. The very sums that the above
/// gives, by one reading of the spots and additions that need not wait for each other.
[[nodiscard]] std::array<std::vector<double>, 2> apply_transpose(const PatchSpots& spots,
                                                                 const PixelRange& range,
                                                                 const std::vector<double>& v,
                                                                 const std::vector<double>& w);

/// (A f)_i = sum_j A_ij f_j over the pixels of `range`; f has n entries.
[[nodiscard]] std::vector<double> apply(const PatchSpots& spots, const PixelRange& range,
                                        const std::vector<double>& f);

/// A by rows: entries [first[i], first[i + 1]) of pixel i, in ascending order of bin.
struct SparseProjection {
  std::vector<int> first;     ///< [npixel + 1]
  std::vector<int> bin;       ///< j
  std::vector<double> value;  ///< A_ij
};
/// A of the patch over the pixels of `range` (milestone baseline).
[[nodiscard]] SparseProjection make_sparse_projection(const PatchSpots& spots,
                                                      const PixelRange& range);

/// What one spectrum puts into a band of pixel rows, dense: rows of A are the pixels of the CCD
/// columns [x0, x1) that its spots touch there, column by column (row (x - x0) ny + y); columns are
/// the bins [w0, w1) that reach the band. All other elements of the band and spectrum are zeros and
/// not stored: within a band of a few rows A is dense, over the whole patch it is not.
struct DensePanel {
  int x0 = 0;             ///< first column of the CCD
  int x1 = 0;             ///< one past the last
  int w0 = 0;             ///< first bin
  int w1 = 0;             ///< one past the last
  int rows = 0;           ///< (x1 - x0) ny, with ny the rows of the band
  std::vector<double> A;  ///< column-major, rows x (w1 - w0)
};
/// The panel of padded spectrum s of a patch in `band`; without columns where no spot reaches it.
[[nodiscard]] DensePanel make_dense_panel(const PatchSpots& spots, int s, const PixelRange& band);

}  // namespace spex
