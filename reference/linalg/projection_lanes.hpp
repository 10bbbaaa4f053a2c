// The kernels of the projection matrix A over lanes: products of A with A, and with pixels.
//
// Each sum has one order, whatever the instruction set.
#pragma once

#include "reference/core/simd/instructions.hpp"

namespace spex {

/// What one spectrum has in a row of pixels: A of pixel x and bin w at `A[x lanes + w]`. Bins
/// beyond the spectrum's, up to `lanes` (whole groups), are zeros.
struct RowOfA {
  int bins;         ///< bins of the spectrum that reach the row
  int lanes;        ///< the same in whole groups of eight
  const double* A;  ///< of the first pixel, at a cache line
};

/// The row of one bin's spot that lies on a row of pixels.
struct BinOfRow {
  int x;               ///< its first pixel, counted from that of the row
  int columns;         ///< its pixels; 0 for a bin that does not reach the row
  const double* spot;  ///< A of the first pixel
};

/// The part of a spot that lies on pixels: column x of row y at `spot[y stride + x]`.
struct SpotPart {
  int columns;         ///< of the part
  int rows;            ///< of the part
  int stride;          ///< columns of the whole spot
  const double* spot;  ///< the part's first pixel
};

/// The kernels of one instruction set. Pixels are row by row, `nx` numbers from a row to the next.
struct ProjectionKernels {
  /// sum_i A_ij v_i over the pixels i of spot j's part; v is of the part's first pixel.
  double (*sum)(const SpotPart& A, const double* v, int nx);
  /// The same sums of v and of w, to the bit.
  void (*sums)(const SpotPart& A, const double* v, const double* w, int nx, double result[2]);
  /// m_i += A_ij f over the same pixels.
  void (*add)(const SpotPart& A, double f, double* m, int nx);

  /// `n` numbers in double precision.
  void (*widen)(int n, const float* from, double* to);
  /// A of `pixels` pixels of a row from the bins that reach it; A as RowOfA has it.
  void (*put_row)(const BinOfRow* of, int bins, int pixels, double* A);
  /// WA = W A of `pixels` pixels of a row; WA as A.
  void (*weigh)(const RowOfA& row, int pixels, const double* W, double* WA);
  /// N_ts += A_t^T (W A_s) of `pixels` pixels of a row that both spectra have. The element of bin v
  /// of s and bin w of t is at `N[v stride + w]`; zeros are added to those up to t.lanes.
  void (*add_products)(const RowOfA& t, const RowOfA& WA_s, int pixels, double* N, long stride);
};
SPEX_KERNELS(ProjectionKernels, projection_kernels)

}  // namespace spex
