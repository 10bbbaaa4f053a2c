// The kernels of band matrices over lanes, for BandBatch and the spectra of a patch.
//
// Arrays have all lanes of an element side by side, in whole groups of eight lanes. Each lane has
// its own sums, in one order whatever the number of lanes and the instruction set.
#pragma once

#include <cstddef>

#include "reference/core/simd/instructions.hpp"

namespace spex {

/// Lanes of a group: numbers that a kernel takes at a time.
inline constexpr int lanes_of_group = 8;

/// The whole groups that hold `lanes` lanes, counted in lanes.
[[nodiscard]] constexpr int whole_groups(int lanes) {
  return (lanes + lanes_of_group - 1) / lanes_of_group * lanes_of_group;
}

/// The shape of band matrices side by side: element (j + d, j) of all lanes at
/// `a + (j (reach + 1) + d) lanes`, 0 <= d <= reach < n, zeros where j + d >= n.
struct BandShape {
  int n;      ///< rows
  int reach;  ///< farthest from the diagonal that an element is stored
  int lanes;  ///< matrices: whole groups
};

/// Cholesky's factor of one band matrix, A = L L^T.
struct BandFactor {
  int n;                  ///< rows
  int reach;              ///< farthest from the diagonal that an element is stored
  const double* l;        ///< L(j + d, j) at j (reach + 1) + d for d > 0
  const double* inverse;  ///< 1 / L(j, j)
};

/// The kernels of one instruction set. All arrays begin at a cache line.
struct BandKernels {
  /// A = L diag(d) L^T in place, as BandBatch::factor; `scratch` has n (reach + 1) groups. False
  /// where a pivot is not positive or not finite.
  bool (*factor_bands)(const BandShape& shape, double* a, double* scratch);
  /// x <- A^-1 x of `nrhs` (1 or 2) right-hand sides: x is [n][nrhs][lanes].
  void (*solve_bands)(const BandShape& shape, const double* L, int nrhs, double* x);
  /// The band of A^-1, of the same shape.
  void (*invert_bands)(const BandShape& shape, const double* L, double* Z);

  /// A + shift_k of one band matrix A, `shape.n` columns of reach + 1 elements, in lane k of `a`.
  void (*shift_band)(const BandShape& shape, const double* A, const double* shift, double* a);

  /// X <- L^-1 X. X is [n][columns] with columns in whole groups. Row i of what is given has
  /// nothing but zeros from column `first + i` on.
  void (*half_solve)(const BandFactor& L, int columns, int first, double* X);

  /// x_w = y_w - sum_v N(w, v) f_v of the lane before - the same of the lane after. before and
  /// after are [n][2 reach + 1][lanes], v = w - reach ... w + reach; f is [n + 2 reach][lanes +
  /// 16], zeros about it: lane s of bin w at (w + reach)(lanes + 16) + 8 + s.
  void (*subtract_neighbors)(const BandShape& shape, const double* before, const double* after,
                             const double* f, const double* y, double* x);

  /// sum_k weight_k x_ik over the lanes of row i, for n rows.
  void (*weighted_sums)(int n, int lanes, const double* weight, const double* x, double* sum);
  /// The band of sum_k weight_k (1 - shift_k Z_k), one matrix: Q[j (reach + 1) + d].
  void (*band_of_root)(const BandShape& shape, const double* weight, const double* shift,
                       const double* Z, double* Q);
};
SPEX_KERNELS(BandKernels, band_kernels)

}  // namespace spex
